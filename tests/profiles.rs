//! Profiles and tiers: the embedded files, the builder, and how each wrong key is refused.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serpentarium::error::Error;
use serpentarium::profile::{Head, Profile, ProfileBuilder, Quality, Tier};
use toml::Value;

const GRASS_SNAKE: &str = include_str!("../profiles/grass-snake.toml");
const README: &str = include_str!("../profiles/README.md");

fn file_text(name: &str) -> String {
    let path = format!("{}/profiles/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a file for each embedded name")
}

#[test]
fn every_embedded_profile_loads_under_its_name() {
    let joints = [("grass-snake", 32), ("python", 48), ("viper", 24), ("sea-serpent", 64), ("worm", 16)];
    assert_eq!(Profile::embedded_names(), joints.map(|(name, _)| name));
    for (name, joints) in joints {
        let profile = Profile::embedded(name).expect("an embedded file");
        assert_eq!((profile.name(), profile.joints()), (name, joints));
        assert_eq!(profile.radius_m().len(), joints);
        assert_eq!(profile.wave_amplitude().len(), joints - 1);
        assert_eq!(profile.follow_ground(), name != "sea-serpent");
    }
}

#[test]
fn every_species_file_is_embedded() {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/profiles")).expect("the folder");
    let files: Vec<_> = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    for name in files.iter().filter_map(|file| file.strip_suffix(".toml")) {
        assert!(Profile::embedded(name).is_ok(), "{name}");
    }
}

#[test]
fn bodies_taper_from_a_thick_middle_to_neck_and_tail() {
    for name in Profile::embedded_names() {
        let profile = Profile::embedded(name).expect("an embedded file");
        let radius = profile.radius_m();
        let thickest = radius.iter().copied().fold(0.0, f32::max);
        let place = radius.iter().position(|&value| value == thickest).expect("a thickest joint");
        let place = place as f32 / (radius.len() - 1) as f32;
        assert!((0.2..0.7).contains(&place), "{name}: thickest at {place}");
        assert!(radius[0] < 0.7 * thickest, "{name}: no neck");
        assert!(radius[radius.len() - 1] < 0.4 * thickest, "{name}: no thin tail");
    }
}

#[test]
fn files_are_baked_to_radians_and_turns() {
    let serpent = Profile::embedded("sea-serpent").expect("an embedded file");
    assert_eq!(serpent.wave_phase_turns(), 0.25);
    assert_eq!(serpent.wave_bend_rad(), 14.0_f32.to_radians());
    assert_eq!(serpent.max_turn_speed_rad_s(), 40.0_f32.to_radians());
    assert_eq!(serpent.heads()[0].max_jaw_rad, 55.0_f32.to_radians());
    let (first, last) = (serpent.wave_amplitude()[0], serpent.wave_amplitude()[62]);
    assert!(first > 0.0 && first < 0.05 && last > 0.95 && last < 1.0, "{first}, {last}");
}

#[test]
fn loading_a_path_equals_the_embedded_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/profiles/viper.toml");
    assert_eq!(Profile::load(path), Profile::embedded("viper"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/profiles/tiers/high.toml");
    assert_eq!(Tier::load(path), Tier::embedded(Quality::High));
}

#[test]
fn a_missing_file_is_named() {
    for error in [Profile::load("no/such.toml").unwrap_err(), Tier::load("no/such.toml").unwrap_err()] {
        let Error::File { file, message } = error else { panic!("{error}") };
        assert_eq!(file, "no/such.toml");
        assert!(message.starts_with("cannot be read"), "{message}");
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_known_ones() {
    let error = Profile::embedded("dragon").unwrap_err().to_string();
    let names = "grass-snake, python, viper, sea-serpent, worm";
    assert_eq!(error, format!("no profile named dragon: known are {names}, or a path to a file"));
    let error = "ultra".parse::<Quality>().unwrap_err().to_string();
    assert_eq!(error, "no tier named ultra: known are low, medium, high, or a path to a file");
}

#[test]
fn tiers_are_named_as_their_quality() {
    assert_eq!(Quality::default(), Quality::Medium);
    for (quality, knots) in Quality::ALL.into_iter().zip([2, 2, 4]) {
        let tier = Tier::embedded(quality).expect("an embedded file");
        assert_eq!((tier.name(), tier.knots_per_segment()), (quality.to_string().as_str(), knots));
        assert_eq!(quality.to_string().parse(), Ok(quality));
    }
}

/// A builder told everything that a file says.
fn builder_of(text: &str) -> ProfileBuilder {
    let file: Value = toml::from_str(text).expect("TOML");
    let number = |table: &Value, key: &str| table[key].as_float().expect("a float");
    let stations = |list: &Value, key: &str| -> Vec<(f64, f64)> {
        list.as_array().expect("stations").iter().map(|entry| (number(entry, "at"), number(entry, key))).collect()
    };
    let (body, gait, wave) = (&file["body"], &file["gait"], &file["wave"]);
    let mut builder = Profile::builder(file["name"].as_str().expect("a name"))
        .length_m(number(body, "length_m"))
        .joints(body["joints"].as_integer().expect("a count") as usize)
        .radius_m(stations(&body["radius"], "radius_m"))
        .steering_amplitude_deg(number(gait, "steering_amplitude_deg"))
        .steering_cycles(number(gait, "steering_cycles"))
        .max_turn_speed_deg_s(number(gait, "max_turn_speed_deg_s"))
        .head_guided(gait["head_guided"].as_bool().expect("a flag"))
        .speed_m_s(number(gait, "speed_m_s"))
        .wave_bend_deg(number(wave, "bend_deg"))
        .wave_cycles(number(wave, "cycles"))
        .wave_phase_deg(number(wave, "phase_deg"))
        .wave_amplitude(stations(&wave["amplitude"], "share"))
        .follow_ground(file["ground"]["follow"].as_bool().expect("a flag"))
        .body_follow(file["ground"]["body_follow"].as_bool().expect("a flag"))
        .max_climb_deg(number(&file["ground"], "max_climb_deg"))
        .gravity_m_s2(number(&file["ground"], "gravity_m_s2"))
        .max_fall_speed_m_s(number(&file["ground"], "max_fall_speed_m_s"))
        .terrain_reach_m(number(&file["ground"], "reach_m"))
        .activation_m(number(&file["ground"], "activation_m"))
        .max_bend_deg(number(&file["ground"], "max_bend_deg"))
        .prevent_penetration(file["ground"]["prevent_penetration"].as_bool().expect("a flag"));
    for head in file["heads"].as_array().expect("heads") {
        let offset: Vec<f64> = head["offset_m"].as_array().expect("three").iter().filter_map(Value::as_float).collect();
        let built = Head::builder(head["name"].as_str().expect("a name"))
            .offset_m(offset.try_into().expect("three"))
            .yaw_deg(number(head, "yaw_deg"))
            .pitch_deg(number(head, "pitch_deg"))
            .length_m(number(head, "length_m"))
            .radius_m(number(head, "radius_m"))
            .jaw_length_m(number(head, "jaw_length_m"))
            .jaw_hinge_m(number(head, "jaw_hinge_m"))
            .max_jaw_deg(number(head, "max_jaw_deg"));
        builder = builder.head(built);
    }
    builder
}

#[test]
fn files_equal_their_builder_equivalents() {
    for name in Profile::embedded_names() {
        assert_eq!(builder_of(&file_text(name)).build(), Profile::embedded(name), "{name}");
    }
}

#[test]
fn a_builder_alone_makes_a_plausible_snake() {
    for (length, joints) in [(0.01, 2), (1.0, 32), (1000.0, 1024)] {
        let snake = Profile::builder("snake").length_m(length).joints(joints).build().expect("defaults");
        assert_eq!(snake.heads().len(), 1);
        assert_eq!(snake.steering_amplitude_rad(), 32.0_f32.to_radians());
        assert!(snake.head_guided() && snake.follow_ground());
        assert_eq!(snake.wave_bend_rad(), 0.0);
        assert!(snake.heads()[0].radius_m > snake.radius_m()[0]);
    }
}

#[test]
fn optional_keys_have_the_documented_defaults() {
    let text = "name = 'x'
        [body]\nlength_m = 1\njoints = 3
        radius = [{at = 0, radius_m = 0.02}, {at = 1, radius_m = 0.01}]
        [gait]\nsteering_cycles = 2\nmax_turn_speed_deg_s = 90\nspeed_m_s = 1
        [[heads]]\nname = 'h'\nlength_m = 0.1\nradius_m = 0.02\njaw_length_m = 0\njaw_hinge_m = 0\nmax_jaw_deg = 0";
    let profile = Profile::from_toml("minimal", text).expect("the required keys are there");
    assert_eq!(profile.steering_amplitude_rad(), 32.0_f32.to_radians());
    assert!(profile.head_guided() && profile.follow_ground());
    assert_eq!((profile.wave_bend_rad(), profile.wave_cycles(), profile.wave_phase_turns()), (0.0, 1.0, 0.0));
    assert_eq!(profile.wave_amplitude(), [1.0, 1.0]);
    assert_eq!(profile.radius_m(), [0.02, 0.015, 0.01]);
    let head = &profile.heads()[0];
    assert_eq!((head.offset_m, head.yaw_rad, head.pitch_rad), ([0.0; 3], 0.0, 0.0));
}

/// Every numeric key: its path as the README has it, in one file, and the range that its error states.
const RANGES: [(&str, &str, f64, f64, &str); 26] = [
    ("body.length_m", "", 0.01, 1000.0, "0.01 to 1000 m"),
    ("body.radius[].at", "1", 0.0, 1.0, "0 to 1 of the body length, from its front"),
    ("body.radius[].radius_m", "1", 0.00001, 250.0, "0.00001 to 250 m"),
    ("gait.steering_amplitude_deg", "", 0.0, 80.0, "0 to 80 degrees"),
    ("gait.steering_cycles", "", 0.0, 32.0, "0 to 32 cycles over the body length"),
    ("gait.max_turn_speed_deg_s", "", 0.0, 3600.0, "0 to 3600 degrees per second"),
    ("gait.speed_m_s", "", 0.0, 1000.0, "0 to 1000 m/s"),
    ("wave.bend_deg", "", 0.0, 80.0, "0 to 80 degrees"),
    ("wave.cycles", "", 0.0, 32.0, "0 to 32 cycles over the body length"),
    ("wave.phase_deg", "", -360.0, 360.0, "-360 to 360 degrees"),
    ("wave.amplitude[].at", "0", 0.0, 1.0, "0 to 1 of the body length, from its front"),
    ("wave.amplitude[].share", "0", 0.0, 1.0, "0 to 1 of bend_deg"),
    ("heads[].yaw_deg", "0", -180.0, 180.0, "-180 to 180 degrees"),
    ("heads[].pitch_deg", "0", -90.0, 90.0, "-90 to 90 degrees"),
    ("heads[].length_m", "0", 0.00001, 1000.0, "0.00001 to 1000 m"),
    ("heads[].radius_m", "0", 0.00001, 250.0, "0.00001 to 250 m"),
    ("heads[].jaw_length_m", "0", 0.0, 1000.0, "0 to 1000 m"),
    ("heads[].jaw_hinge_m", "0", 0.0, 1000.0, "0 to 1000 m"),
    ("heads[].max_jaw_deg", "0", 0.0, 180.0, "0 to 180 degrees"),
    ("ground.max_climb_deg", "", 0.0, 89.0, "0 to 89 degrees"),
    ("ground.gravity_m_s2", "", 0.0, 1000.0, "0 to 1000 m/s^2"),
    ("ground.max_fall_speed_m_s", "", 0.0, 1000.0, "0 to 1000 m/s"),
    ("ground.reach_m", "", 0.0, 10_000.0, "0 to 10000 m"),
    ("ground.activation_m", "", 0.0, 1000.0, "0 to 1000 m"),
    ("ground.max_bend_deg", "", 0.0, 90.0, "0 to 90 degrees"),
    ("body.joints", "", 2.0, 1024.0, "a whole number, 2 to 1024 joints"),
];

/// The keys that are not numbers.
const OTHERS: [(&str, &str, &str); 7] = [
    ("name", "", "a text of 1 to 64 characters on one line"),
    ("gait.head_guided", "", "true or false"),
    ("heads[].name", "0", "a text of 1 to 64 characters on one line"),
    ("heads[].offset_m", "0", "[right, up, forward], each -0.87 to 0.87 m"),
    ("ground.follow", "", "true or false"),
    ("ground.body_follow", "", "true or false"),
    ("ground.prevent_penetration", "", "true or false"),
];

fn path(key: &str, index: &str) -> String {
    key.replace("[]", &format!("[{index}]"))
}

/// The table that a path's last key lies in.
fn table_of<'a>(file: &'a mut Value, path: &str) -> (&'a mut toml::Table, String) {
    let mut parts: Vec<&str> = path.split('.').collect();
    let key = parts.pop().expect("a key");
    let mut value = file;
    for part in parts {
        let (name, index) = part.split_once('[').unwrap_or((part, ""));
        value = &mut value[name];
        if let Ok(index) = index.trim_end_matches(']').parse::<usize>() {
            value = &mut value[index];
        }
    }
    (value.as_table_mut().expect("a table"), key.into())
}

/// The grass snake's file with one key changed, or removed.
fn with_key(path: &str, value: Option<Value>) -> String {
    let mut file: Value = toml::from_str(GRASS_SNAKE).expect("TOML");
    let (table, key) = table_of(&mut file, path);
    assert!(table.remove(&key).is_some(), "{path} is in the file");
    if let Some(value) = value {
        table.insert(key, value);
    }
    toml::to_string(&file).expect("TOML")
}

fn refused(path: &str, value: Option<Value>, allowed: &str) {
    let shown = match &value {
        None => "missing".into(),
        Some(Value::Float(number)) => format!("{number:?}"),
        Some(other) => other.to_string(),
    };
    let error = Profile::from_toml("snake.toml", &with_key(path, value)).expect_err(path);
    assert_eq!(error.to_string(), format!("snake.toml: {path} = {shown}: allowed is {allowed}"));
}

#[test]
fn each_number_is_held_to_its_range() {
    for (key, index, min, max, allowed) in RANGES {
        let path = path(key, index);
        for number in [min - 0.001 - min.abs() * 0.001, max + max.abs() * 0.001, 1e300, -1e300] {
            refused(&path, Some(Value::Float(number)), allowed);
        }
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            refused(&path, Some(Value::Float(number)), allowed);
        }
        refused(&path, Some(Value::Integer(i64::MAX)), allowed);
        refused(&path, Some(Value::Integer(i64::MIN)), allowed);
    }
}

#[test]
fn each_number_refuses_other_types() {
    for (key, index, _, _, allowed) in RANGES {
        let path = path(key, index);
        refused(&path, Some(Value::from("long")), allowed);
        refused(&path, Some(Value::from(true)), allowed);
        refused(&path, Some(Value::from(vec![1.0])), allowed);
        refused(&path, Some(Value::Table(toml::Table::new())), allowed);
    }
}

#[test]
fn each_text_and_flag_refuses_other_types() {
    for (key, index, allowed) in OTHERS {
        let path = path(key, index);
        refused(&path, Some(Value::from(7)), allowed);
        refused(&path, Some(Value::Float(f64::NAN)), allowed);
        refused(&path, Some(Value::from(vec![f64::NAN, 0.0, 0.0])), allowed);
        refused(&path, Some(Value::from(vec![0.0, 0.0])), allowed);
    }
    for name in ["", "  ", "two\nlines"] {
        refused("name", Some(Value::from(name)), OTHERS[0].2);
    }
    refused("heads[0].offset_m", Some(Value::from(vec![0.0, 0.0, 0.88])), OTHERS[3].2);
}

#[test]
fn a_long_value_is_cut_in_the_error() {
    let text = with_key("body.length_m", Some(Value::from("é".repeat(1000))));
    let error = Profile::from_toml("snake.toml", &text).unwrap_err().to_string();
    assert!(error.len() < 250 && error.contains("éé...: allowed is 0.01 to 1000 m"), "{error}");
}

#[test]
fn required_keys_are_missed_by_name() {
    for (key, index, _, _, allowed) in RANGES {
        let row = README.lines().find(|line| line.starts_with(&format!("| `{key}`"))).expect(key);
        let optional = !row.contains("| required |") && !key.starts_with("wave.amplitude");
        if optional {
            let text = with_key(&path(key, index), None);
            assert!(Profile::from_toml("snake.toml", &text).is_ok(), "{key} is optional");
        } else {
            refused(&path(key, index), None, allowed);
        }
    }
    refused("heads", None, "1 to 4 heads");
    refused("body.radius", None, "2 to 32 stations");
    refused("name", None, OTHERS[0].2);
}

#[test]
fn the_readme_lists_every_key() {
    let numbers = RANGES.map(|row| row.0);
    let others = OTHERS.map(|row| row.0);
    for key in numbers.iter().chain(&others) {
        assert!(README.contains(&format!("| `{key}` |")), "{key}");
    }
    let rows = README.lines().take_while(|line| *line != "## Tiers").filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, numbers.len() + others.len());
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let sections = ["[body]", "[[body.radius]]", "[gait]", "[wave]", "[[wave.amplitude]]", "[[heads]]", "[ground]"];
    for section in sections {
        let text = GRASS_SNAKE.replacen(&format!("\n{section}"), &format!("\n{section}\nlenght_m = 1.0"), 1);
        let line = 1 + text.lines().position(|line| line.starts_with("lenght_m")).expect("the key");
        let error = Profile::from_toml("snake.toml", &text).expect_err(section).to_string();
        assert!(error.starts_with(&format!("snake.toml: line {line}: ")), "{error}");
        assert!(error.contains("lenght_m"), "{error}");
    }
    let error = Profile::from_toml("snake.toml", &format!("[tail]\n{GRASS_SNAKE}")).unwrap_err().to_string();
    assert!(error.starts_with("snake.toml: line 1: ") && error.contains("tail"), "{error}");
}

#[test]
fn bad_syntax_is_reported_with_its_line() {
    let error = Profile::from_toml("snake.toml", "name = 'a'\n[body]\nlength_m = = 1").unwrap_err();
    let Error::File { file, message } = error else { panic!("{error}") };
    assert_eq!(file, "snake.toml");
    assert!(message.starts_with("line 3: "), "{message}");
}

#[test]
fn stations_are_sorted_and_span_the_body() {
    let build = |stations: &[(f64, f64)]| Profile::builder("x").radius_m(stations.iter().copied()).build();
    let error = |stations: &[(f64, f64)]| build(stations).expect_err("stations").to_string();
    let start = "builder: body.radius";
    assert_eq!(error(&[(0.0, 0.01)]), format!("{start} = 1 stations: allowed is 2 to 32 stations"));
    let many: Vec<_> = (0..33).map(|i| (f64::from(i) / 32.0, 0.01)).collect();
    assert_eq!(error(&many), format!("{start} = 33 stations: allowed is 2 to 32 stations"));
    assert!(build(&many[..32].iter().map(|s| (s.0 * 32.0 / 31.0, s.1)).collect::<Vec<_>>()).is_ok());
    let first = "0 (the first station is the body's front)";
    assert_eq!(error(&[(0.1, 0.01), (1.0, 0.01)]), format!("{start}[0].at = 0.1: allowed is {first}"));
    let last = "1 (the last station is the tail's tip)";
    assert_eq!(error(&[(0.0, 0.01), (0.9, 0.01)]), format!("{start}[1].at = 0.9: allowed is {last}"));
    let order = "more than the station before it = 0.5, up to 1";
    for at in [0.5, 0.4] {
        let unsorted = [(0.0, 0.01), (0.5, 0.01), (at, 0.01), (1.0, 0.01)];
        assert_eq!(error(&unsorted), format!("{start}[2].at = {at}: allowed is {order}"));
    }
}

#[test]
fn what_depends_on_the_length_is_held_to_it() {
    let head = || Head::builder("h");
    let built = |head| Profile::builder("x").length_m(2.0).head(head).build().expect_err("a head").to_string();
    let quarter = "allowed is less than body.length_m / 4 = 0.5 m";
    let fat = Profile::builder("x").length_m(2.0).radius_m([(0.0, 0.1), (1.0, 0.5)]).build();
    assert_eq!(fat.unwrap_err().to_string(), format!("builder: body.radius[1].radius_m = 0.5: {quarter}"));
    assert_eq!(built(head().radius_m(0.5)), format!("builder: heads[0].radius_m = 0.5: {quarter}"));
    let length = "allowed is up to body.length_m = 2 m";
    assert_eq!(built(head().length_m(2.5)), format!("builder: heads[0].length_m = 2.5: {length}"));
    assert_eq!(built(head().jaw_length_m(2.5)), format!("builder: heads[0].jaw_length_m = 2.5: {length}"));
    let hinge = "allowed is up to the head's length_m = 0.1 m";
    let error = built(head().length_m(0.1).jaw_hinge_m(0.2));
    assert_eq!(error, format!("builder: heads[0].jaw_hinge_m = 0.2: {hinge}"));
}

#[test]
fn heads_are_one_to_four_with_names_of_their_own() {
    let hydra = |names: &[&str]| {
        let snake = Profile::builder("hydra").length_m(3.0);
        names.iter().fold(snake, |snake, name| snake.head(Head::builder(name).offset_m([0.1, 0.0, 0.0]))).build()
    };
    assert_eq!(hydra(&["a", "b", "c", "d"]).expect("four").heads()[3].name, "d");
    let error = hydra(&["a", "b", "c", "d", "e"]).unwrap_err().to_string();
    assert_eq!(error, "builder: heads = 5 heads: allowed is 1 to 4 heads");
    let error = hydra(&["a", "b", "a"]).unwrap_err().to_string();
    assert_eq!(error, "builder: heads[2].name = a: allowed is a name that no other head of the profile has");
}

#[test]
fn a_head_left_incomplete_follows_its_own_length() {
    let head = Head::builder("h").length_m(0.01);
    let profile = Profile::builder("x").length_m(5.0).head(head).build().expect("in proportion");
    let head = &profile.heads()[0];
    assert!(head.jaw_hinge_m < head.length_m && head.jaw_length_m < head.length_m && head.radius_m < head.length_m);
}

#[test]
fn the_builder_refuses_what_is_not_finite() {
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        let error = Profile::builder("x").length_m(bad).build().unwrap_err();
        let Error::Key { file, key, .. } = &error else { panic!("{error}") };
        assert_eq!((file.as_str(), key.as_str()), ("builder", "body.length_m"));
    }
    assert!(Profile::builder("x").joints(usize::MAX).build().is_err());
    assert!(Profile::builder("").build().is_err());
}

#[test]
fn a_range_is_taken_from_f32_values_too() {
    // 0.01 as f32 lies below 0.01 as f64; a caller who keeps f32 may still name the limit.
    assert!(Profile::builder("x").length_m(f64::from(0.01_f32)).build().is_ok());
}

#[test]
fn tiers_refuse_wrong_keys() {
    let cases = [
        ("name = 'x'\nknots_per_segment = 1", "= 1: allowed is a whole number, 2 to 4 knots"),
        ("name = 'x'\nknots_per_segment = 5", "= 5: allowed is a whole number, 2 to 4 knots"),
        ("name = 'x'\nknots_per_segment = 2.0", "= 2.0: allowed is a whole number, 2 to 4 knots"),
        ("name = 'x'\nknots_per_segment = nan", "= NaN: allowed is a whole number, 2 to 4 knots"),
        ("name = 'x'", "= missing: allowed is a whole number, 2 to 4 knots"),
    ];
    for (text, end) in cases {
        let error = Tier::from_toml("tier.toml", text).unwrap_err().to_string();
        assert_eq!(error, format!("tier.toml: knots_per_segment {end}"));
    }
    let error = Tier::from_toml("tier.toml", "name = 'x'\nknots = 2").unwrap_err().to_string();
    assert!(error.starts_with("tier.toml: line 2: ") && error.contains("knots"), "{error}");
    assert!(Tier::from_toml("tier.toml", "name = 1\nknots_per_segment = 2").is_err());
}

/// What a profile promises whatever made it.
fn sound(profile: &Profile) -> bool {
    let radius = profile.radius_m();
    radius.len() == profile.joints()
        && radius.iter().all(|radius| (0.00001..profile.length_m() / 4.0).contains(radius))
        && profile.wave_amplitude().iter().all(|share| (0.0..=1.0).contains(share))
        && (1..=4).contains(&profile.heads().len())
        && (0.0..1.0).contains(&profile.wave_phase_turns())
}

fn stays_sound(text: &str) -> bool {
    match Profile::from_toml("fuzz", text) {
        Ok(profile) => sound(&profile),
        Err(error) => error.to_string().starts_with("fuzz: "),
    }
}

/// A species file with some of its bytes overwritten, inserted or cut, or lines dropped, doubled or swapped.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (0..6_u8, any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>());
    (0..5_usize, prop::collection::vec(edit, 1..12)).prop_map(|(species, edits)| {
        let mut bytes = file_text(Profile::embedded_names()[species]).into_bytes();
        for (kind, one, other, byte) in edits {
            bytes = mutate(bytes, kind, one, other, byte);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn mutate(mut bytes: Vec<u8>, kind: u8, one: prop::sample::Index, other: prop::sample::Index, byte: u8) -> Vec<u8> {
    if bytes.is_empty() {
        return bytes;
    }
    let at = one.index(bytes.len());
    match kind {
        0 => bytes[at] = byte,
        1 => bytes.insert(at, b"0123456789.-+e[]{}\"'\n=_#"[usize::from(byte) % 24]),
        2 => drop(bytes.remove(at)),
        _ => {
            let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
            let (one, other) = (one.index(lines.len()), other.index(lines.len()));
            match kind {
                3 => drop(lines.remove(one)),
                4 => lines.insert(other, lines[one]),
                _ => lines.swap(one, other),
            }
            return lines.join(&b'\n');
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(2026), ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn mutated_species_never_panic(text in mutated()) {
        prop_assert!(stays_sound(&text));
        let _ = Tier::from_toml("fuzz", &text);
    }

    #[test]
    fn random_text_never_panics(text in "\\PC{0,200}|[\\x00-\\x7f]{0,200}") {
        prop_assert!(stays_sound(&text));
        let _ = Tier::from_toml("fuzz", &text);
    }

    #[test]
    fn random_toml_never_panics(
        text in "(\\[{1,2}(body|body\\.radius|gait|wave|heads|ground)\\]{1,2}\n|\
                 (name|length_m|joints|at|radius_m|offset_m|follow|cycles)( = )?\
                 (nan|-inf|1e999|9{1,30}|-?[0-9]{1,3}\\.[0-9]{1,3}|true|\
                 '\\PC{0,4}'|\\[{1,90}|\\{at = 1\\}|1979-05-27)\n){0,12}"
    ) {
        prop_assert!(stays_sound(&text));
    }

    #[test]
    fn radii_stay_within_their_neighbours(
        radii in prop::collection::vec(0.001_f64..0.2, 2..=32),
        joints in 2_usize..200,
    ) {
        let last = radii.len() - 1;
        let stations = radii.iter().enumerate().map(|(i, &radius)| (i as f64 / last as f64, radius));
        let profile = Profile::builder("x").joints(joints).radius_m(stations).build().expect("in range");
        prop_assert!(sound(&profile));
        for (joint, &radius) in profile.radius_m().iter().enumerate() {
            // Joints beside a station may count to either piece, as the two round differently: take both.
            let place = joint as f64 * last as f64 / (joints - 1) as f64;
            let near = &radii[(place - 1e-6).max(0.0) as usize..=((place + 1e-6).ceil() as usize).min(last)];
            let low = near.iter().copied().fold(f64::MAX, f64::min) as f32;
            let high = near.iter().copied().fold(0.0, f64::max) as f32;
            prop_assert!(low <= radius && radius <= high, "joint {joint}: {radius} not in {low} to {high}");
        }
    }

    #[test]
    fn radii_are_monotone_where_stations_are(
        radii in prop::collection::vec(0.001_f64..0.2, 2..=32),
        joints in 2_usize..200,
    ) {
        let mut radii = radii;
        radii.sort_by(f64::total_cmp);
        let last = radii.len() - 1;
        let stations = radii.iter().enumerate().map(|(i, &radius)| (i as f64 / last as f64, radius));
        let profile = Profile::builder("x").joints(joints).radius_m(stations).build().expect("in range");
        let radius = profile.radius_m();
        prop_assert!(radius.windows(2).all(|pair| pair[1] >= pair[0] * (1.0 - f32::EPSILON)));
    }
}
