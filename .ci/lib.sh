# Shared by the checks. Sourced by bash with the repository's root as the current folder.

# Source files that are test modules of their own: `#[cfg(test)] mod name;`, with or without a #[path].
test_files() {
    find "$1" -name '*.rs' -exec awk '
        FNR == 1 { pending = 0; path = "" }
        /^ *#\[cfg\(test\)\]/ { pending = 1; path = "" }
        pending && /#\[path = "/ { path = $0; sub(/.*#\[path = "/, "", path); sub(/".*/, "", path) }
        pending && /^ *(pub(\([a-z]+\))? )?mod [a-z0-9_]+;/ {
            name = $0
            sub(/.*mod /, "", name)
            sub(/;.*/, "", name)
            folder = FILENAME
            sub(/\/[^\/]*$/, "", folder)
            if (path != "") print folder "/" path
            else {
                stem = FILENAME
                sub(/\.rs$/, "", stem)
                sub(/\/(mod|lib)$/, "", stem)
                print stem "/" name ".rs"
                print stem "/" name "/mod.rs"
            }
        }
        /[{;]/ && !/#\[/ { pending = 0 }
    ' {} +
}

# The code of all source files under a folder, as file:line:code; see code.awk. Further arguments are passed to find.
code_of() {
    local root=$1
    shift
    local tests
    tests=$(test_files "$root")
    find "$root" -name '*.rs' "$@" | LC_ALL=C sort | { grep -vxF -e "${tests:-//}" || true; } | xargs -r awk -f .ci/code.awk
}
