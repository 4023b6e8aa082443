use super::*;

fn encode(width: u32, height: u32, color: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    bytes
}

/// 3 columns, 2 rows: 100 to 600 by 100.
fn small_png() -> Vec<u8> {
    let data: Vec<u8> = (1..=6_u16).flat_map(|step| (step * 100).to_be_bytes()).collect();
    encode(3, 2, png::ColorType::Grayscale, png::BitDepth::Sixteen, &data)
}

const SMALL_TOML: &str = r#"
source = "made here"
licence = "none needed"
columns = 3
rows = 2
row0 = "north"
cell_x_m = 10
cell_z_m = 20.0
elevation_offset_m = -5.0
elevation_scale_m_per_unit = 0.1
world_scale = 0.5
"#;

fn small(toml: &str) -> Result<Heightfield> {
    Heightfield::from_png("small.png", &small_png(), "small.toml", toml)
}

/// The small map's TOML with one line replaced.
fn with(key: &str, line: &str) -> String {
    let keep = |text: &&str| !text.starts_with(&format!("{key} "));
    SMALL_TOML.lines().filter(keep).chain([line]).collect::<Vec<_>>().join("\n")
}

#[test]
fn centre_lowest_is_the_default_anchor() {
    let map = small(SMALL_TOML).unwrap();
    assert_eq!((map.columns(), map.rows(), map.cell_x_m(), map.cell_z_m()), (3, 2, 5.0, 10.0));
    assert_eq!((map.origin(), map.extent_m()), ([-5.0, 0.0, -5.0], [10.0, 10.0]));
    let wanted = [0.0, 5.0, 10.0, 15.0, 20.0, 25.0];
    assert!(map.heights().iter().zip(wanted).all(|(height, wanted)| (height - wanted).abs() < 1e-5), "{map:?}");
}

#[test]
fn corner_keeps_elevations() {
    let map = small(&with("anchor", "anchor = \"corner\"")).unwrap();
    // Pixel 100: (-5 + 10) m, times one half.
    assert_eq!(map.origin(), [0.0, 2.5, 0.0]);
    assert!((map.max_height_m() - 27.5).abs() < 1e-5);
}

#[test]
fn bad_keys_name_file_key_value_and_range() {
    let bad = [
        ("columns", "1"),
        ("columns", "-3"),
        ("rows", "9223372036854775807"),
        ("cell_x_m", "0.0"),
        ("cell_z_m", "-1.0"),
        ("cell_x_m", "nan"),
        ("cell_z_m", "inf"),
        ("elevation_offset_m", "1e300"),
        ("elevation_scale_m_per_unit", "0.0"),
        ("world_scale", "-inf"),
        ("row0", "\"south\""),
        ("anchor", "\"middle\""),
        ("source", "\" \""),
        ("licence", "\"\""),
    ];
    for (key, value) in bad {
        let error = small(&with(key, &format!("{key} = {value}"))).unwrap_err();
        assert!(
            matches!(&error, Error::Key { file, key: named, .. } if file == "small.toml" && named == key),
            "{error}"
        );
    }
    let unknown = small(&with("cell_x_m", "cell_x = 10.0")).unwrap_err().to_string();
    assert!(unknown.contains("small.toml") && unknown.contains("cell_x") && unknown.contains("cell_x_m"), "{unknown}");
    let missing = small(&with("licence", "")).unwrap_err().to_string();
    assert!(missing.contains("licence"), "{missing}");
}

#[test]
fn what_world_scale_makes_too_small_is_refused() {
    let error = small(&with("world_scale", "world_scale = 1e-6")).unwrap_err();
    assert!(
        matches!(&error, Error::Key { key, .. } if key.contains("cell_x_m") && key.contains("world_scale")),
        "{error}"
    );
}

#[test]
fn sizes_that_differ_from_the_image_are_refused() {
    let error = small(&with("columns", "columns = 2")).unwrap_err().to_string();
    assert!(error.contains("3 x 2") && error.contains("2 x 2"), "{error}");
}

#[test]
fn other_depths_and_colours_are_refused() {
    let images = [
        encode(3, 2, png::ColorType::Grayscale, png::BitDepth::Eight, &[0; 6]),
        encode(3, 2, png::ColorType::Rgb, png::BitDepth::Sixteen, &[0; 36]),
        encode(3, 2, png::ColorType::GrayscaleAlpha, png::BitDepth::Sixteen, &[0; 24]),
    ];
    for image in images {
        let error = Heightfield::from_png("small.png", &image, "small.toml", SMALL_TOML).unwrap_err();
        assert!(matches!(&error, Error::File { file, .. } if file == "small.png"), "{error}");
    }
}

#[test]
fn a_png_cut_anywhere_or_damaged_is_an_error_and_no_panic() {
    let whole = small_png();
    for length in 0..whole.len() {
        let cut = Heightfield::from_png("small.png", &whole[..length], "small.toml", SMALL_TOML);
        assert!(matches!(cut, Err(Error::File { .. })), "{length} of {} bytes", whole.len());
    }
    for index in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[index] ^= 0x55;
        // Some bytes do not matter (a checksum that is not read); a panic would fail the test.
        let _ = Heightfield::from_png("small.png", &damaged, "small.toml", SMALL_TOML);
    }
}

#[test]
fn the_embedded_map_is_as_its_readme_says() {
    let map = Heightfield::embedded("jacksboro").unwrap();
    assert_eq!((map.columns(), map.rows(), map.cell_x_m()), (403, 344, 1.0));
    assert!((map.cell_z_m() - 1.240_057).abs() < 1e-6);
    assert_eq!(map.min_height_m(), 0.0);
    assert!((map.max_height_m() - 840.0 / 74.573_156_709).abs() < 1e-5, "{}", map.max_height_m());
    assert_eq!(map.origin(), [-0.5 * map.extent_m()[0], 0.0, -0.5 * map.extent_m()[1]]);
    let by_name = Heightfield::embedded("Jacksboro").unwrap_err();
    assert!(matches!(&by_name, Error::Name { kind: "terrain", known, .. } if known == "jacksboro"), "{by_name}");
}
