# Prints the code of Rust files as `file:line:code`: without comments, without the contents of strings, and without
# items under #[cfg(test)]. Plain POSIX awk; one character at a time is fast enough for a crate.

FNR == 1 {
    block = 0        # depth of nested block comments
    quote = ""       # inside a string: what ends it
    test = 0         # 0: code; 1: after #[cfg(test)], before its item's end
    depth = 0        # open brackets of that item
    body = 0         # whether its braces were seen
    whole = 0        # the whole file is test code
}

{
    line = $0
    code = ""
    n = length(line)
    i = 1
    while (i <= n) {
        rest = substr(line, i)
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (block > 0) {
            if (two == "*/") { block--; i += 2 }
            else if (two == "/*") { block++; i += 2 }
            else i++
        } else if (quote != "") {
            if (quote == "\"" && c == "\\") i += 2
            else if (substr(line, i, length(quote)) == quote) { code = code "\""; i += length(quote); quote = "" }
            else i++
        } else if (two == "//") break
        else if (two == "/*") { block = 1; i += 2 }
        else if (match(rest, /^b?r#*"/) && (i == 1 || substr(line, i - 1, 1) !~ /[A-Za-z0-9_]/)) {
            # A raw string ends with as many hashes as it began with.
            hashes = substr(rest, 1, RLENGTH)
            gsub(/[^#]/, "", hashes)
            quote = "\"" hashes
            code = code "\""
            i += RLENGTH
        } else if (c == "\"") { quote = "\""; code = code "\""; i++ }
        else if (c == "'" && substr(line, i + 1, 1) == "\\") {
            # An escaped character.
            i += 3
            while (i <= n && substr(line, i, 1) != "'") i++
            i++
        } else if (c == "'" && substr(line, i + 2, 1) == "'") i += 3
        else { code = code c; i++ }
    }
    if (code ~ /#!\[cfg\(test\)\]/) whole = 1
    if (whole) next
    if (!test && code ~ /#\[cfg\(test\)\]/) {
        test = 1
        depth = 0
        body = 0
        sub(/.*#\[cfg\(test\)\]/, "", code)
    }
    if (test) {
        n = length(code)
        for (i = 1; i <= n && test; i++) {
            c = substr(code, i, 1)
            if (c ~ /[{(\[]/) { depth++; if (c == "{") body = 1 }
            else if (c ~ /[})\]]/) {
                depth--
                if (depth == 0 && c == "}") test = 0
            } else if (c == ";" && depth == 0) test = 0
        }
        code = test ? "" : substr(code, i)
    }
    if (code ~ /[^ \t]/) print FILENAME ":" FNR ":" code
}
