//! The documents say what the code is.

use serpentarium::Stage;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: impl AsRef<Path>) -> String {
    let path = root().join(&file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file of a kind under a folder, in order.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|is| is == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The first cells of a document's first table, without back quotes; the head and the rule below it are not rows.
fn first_cells(text: &str) -> Vec<String> {
    let rows = text.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    rows.skip(2).map(|row| row.split('|').nth(1).unwrap_or_default().trim().trim_matches('`').to_owned()).collect()
}

#[test]
fn pipeline_lists_every_stage_in_run_order() {
    let named = first_cells(&read("docs/pipeline.md"));
    assert_eq!(named, Stage::ALL.map(Stage::name), "docs/pipeline.md");
}

#[test]
fn every_stage_has_its_file_and_its_derivations() {
    for stage in Stage::ALL {
        let source = read(format!("src/stages/{}.rs", stage.name()));
        assert!(source.starts_with(&format!("//! {}: ", stage.name())), "src/stages/{}.rs", stage.name());
    }
    for derivation in files("docs/derivations", "md") {
        let name = derivation.file_stem().unwrap().to_string_lossy().into_owned();
        let (text, file) = (std::fs::read_to_string(&derivation).unwrap(), format!("docs/derivations/{name}.md"));
        let sources = files("src", "rs");
        let linked = sources.iter().filter(|source| std::fs::read_to_string(source).unwrap().contains(&file)).count();
        assert!(linked > 0, "no source file links to {file}");
        assert!(text.contains("../../src/"), "{file} links to no source file");
    }
}

#[test]
fn readme_shows_the_example_that_is_a_doctest() {
    let example = read("docs/example.md");
    assert!(read("README.md").contains(example.trim()), "README.md does not contain docs/example.md");
    assert!(read("src/lib.rs").contains("include_str!(\"../docs/example.md\")"), "src/lib.rs does not include it");
}

#[test]
fn tuning_names_every_key_of_the_files() {
    let tuning = read("docs/tuning.md");
    for file in ["profiles/sea-serpent.toml", "profiles/tiers/medium.toml"] {
        for line in read(file).lines().filter(|line| !line.starts_with('#')) {
            if let Some((key, _)) = line.split_once(" = ") {
                assert!(tuning.contains(&format!("{key}`")), "{key} of {file} is not in docs/tuning.md");
            }
        }
    }
}

/// What stands in parentheses after `](`, links into the web left out, without the part after `#`.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    let local = targets.filter(|target| !target.starts_with("http") && !target.starts_with('#'));
    local.map(|target| target.split('#').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut documents = files("docs", "md");
    documents
        .extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "profiles/README.md"].map(|file| root().join(file)));
    for document in documents {
        let text = std::fs::read_to_string(&document).unwrap();
        for target in links(&text) {
            let path = document.parent().unwrap().join(&target);
            assert!(path.exists(), "{} links to {target}", document.display());
        }
    }
}
