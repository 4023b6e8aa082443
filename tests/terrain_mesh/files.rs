//! Real meshes as files have them, and files that are broken.

use crate::support::*;
use mesh_file::{is_mesh_file, parse, read};
use serpentarium::Terrain;
use serpentarium::terrain::{MeshSource, Nearby, TriangleMesh};
use std::path::{Path, PathBuf};

#[path = "../../examples/common/mesh_file.rs"]
mod mesh_file;

const FILES: [&str; 3] = ["nut.ply", "gearwheel.bin.stl", "spider.obj"];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/meshes").join(name)
}

fn load(name: &str) -> (MeshSource, TriangleMesh) {
    let source = read(&path(name)).unwrap();
    (source.clone(), mesh(source))
}

#[test]
fn counts_are_as_their_readme_says() {
    let counts = FILES.map(|name| {
        let report = load(name).1.report();
        println!("{name}: {report:?}");
        (report.triangles, report.degenerate, report.duplicate, report.border_edges, report.crowded_edges)
    });
    assert_eq!(counts[0], (1046, 0, 0, 0, 0));
    assert_eq!(counts[1], (2444, 0, 0, 0, 0));
    // Triangles without an area crowd some edges; without them none is.
    assert_eq!(counts[2], (1368, 56, 0, 72, 0));
}

#[test]
fn queries_about_real_meshes_equal_brute_force() {
    for name in FILES {
        let (source, mesh) = load(name);
        let all = triangles(&source);
        assert!(all.as_flattened().as_flattened().iter().all(|part| part.is_finite()));
        let [low, high] = mesh.bounds_m();
        let size = sub(high, low);
        let longest = size[0].max(size[1]).max(size[2]);
        // A body of a hundredth of the mesh.
        let (radius, scale) = (0.01 * longest as f32, longest as f32);
        let terrain = Terrain::from(mesh);
        let mut nearby = Nearby::new();
        let mut hits = 0;
        for step in 0..150 {
            let share = |factor: u32| f64::from(step * factor % 149) / 149.0;
            let center = [0, 1, 2].map(|axis| low[axis] + size[axis] * (share([37, 61, 97][axis]) * 1.2 - 0.1));
            terrain.gather(center, [scale * 2.0; 3], &mut nearby);
            let gap = all.iter().map(|&triangle| distance(triangle, center, center)).fold(f64::INFINITY, f64::min);
            let closest = nearby.closest([0.0; 3]).unwrap();
            assert!((f64::from(closest.distance) - gap).abs() < 1e-5 * longest, "{name}: {closest:?} {gap}");
            let depth = nearby.contact([0.0; 3], [0.0; 3], radius).map_or(0.0, |contact| f64::from(contact.depth));
            assert!((depth - (f64::from(radius) - gap).max(0.0)).abs() < 1e-5 * longest, "{name}: {depth} {gap}");
            let way = [share(11), share(17), share(23)].map(|part| (part - 0.5) as f32 * scale);
            let time = |radius: f64| {
                let times = all.iter().filter_map(|&t| touch_time(t, center, center, radius, wide(way)));
                times.fold(f64::INFINITY, f64::min)
            };
            let own = nearby.swept([0.0; 3], [0.0; 3], radius, way).map_or(f64::INFINITY, |hit| f64::from(hit.time));
            let (early, late) = (time(f64::from(radius) * 1.002), time(f64::from(radius) * 0.998));
            assert!(early - 1e-4 <= own && own <= late + 1e-4, "{name}: {own} of {early} to {late}");
            hits += usize::from(own < f64::INFINITY);
            let capsule = nearby.swept([0.0; 3], way.map(|part| 0.05 * part), radius, way);
            assert!(capsule.is_none_or(|hit| hit.normal.iter().chain(&hit.point).all(|part| part.is_finite())));
            if let Some(ground) = terrain.sample_under(center[0], center[1], center[2]) {
                assert!(ground.height_m <= center[1] + 1e-4 * longest && ground.normal[1] > 0.0);
            }
        }
        assert!(hits > 20, "{name}: {hits}");
    }
}

#[test]
fn broken_files_are_errors_of_one_line() {
    for name in FILES {
        let bytes = std::fs::read(path(name)).unwrap();
        let ending = name.rsplit('.').next().unwrap();
        // Cut and damaged anywhere: an error or other triangles, but neither a panic nor a hang.
        for step in 0..120 {
            let at = bytes.len() * step / 120;
            let _ = parse(ending, &bytes[..at]).map(TriangleMesh::from_triangles);
            let mut damaged = bytes.clone();
            for offset in 0..3 {
                damaged[(at + offset * 7) % bytes.len()] ^= 0x5a;
            }
            let _ = parse(ending, &damaged).map(TriangleMesh::from_triangles);
        }
        // The head, where counts are, byte by byte.
        for at in 0..300 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x11;
            let _ = parse(ending, &damaged).map(TriangleMesh::from_triangles);
        }
        assert!(parse(ending, &[]).is_err(), "{name}");
    }
    let header = |elements: &str| format!("ply\nformat binary_little_endian 1.0\n{elements}end_header\n");
    let hostile: [(&str, Vec<u8>); 9] = [
        ("ply", header("element vertex 99999999999999\n").into()),
        ("ply", header("element vertex 4000000000\nproperty float x\n").into()),
        (
            "ply",
            header("element face 1\nproperty list uint int vertex_indices\n")
                .into_bytes()
                .into_iter()
                .chain([255; 4])
                .collect(),
        ),
        ("stl", [vec![0; 80], vec![255; 4], vec![0; 500]].concat()),
        ("stl", b"solid \nfacet normal 0 0 1\nouter loop\nvertex nan 0 0\n".to_vec()),
        ("obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999\n".to_vec()),
        ("obj", b"v 0 0 0\nf -5 -6 -7\n".to_vec()),
        ("obj", b"g\no\nf\nv 1\n".to_vec()),
        ("glb", Vec::new()),
    ];
    for (ending, bytes) in hostile {
        assert!(parse(ending, &bytes).is_err(), "{ending}: {:?}", String::from_utf8_lossy(&bytes));
    }
    for missing in ["nowhere.ply", "README.md", "nut"] {
        let error = read(&path(missing)).unwrap_err().to_string();
        assert!(error.contains(missing) && error.lines().count() == 1, "{error}");
    }
    assert!(FILES.iter().all(|name| is_mesh_file(Path::new(name))) && !is_mesh_file(Path::new("a.png")));
}

/// A triangle as glTF: 36 bytes of positions, 6 of indices; `{buffer}` and `{nodes}` to fill in.
fn gltf(buffer: &str, nodes: &str) -> String {
    let [views, accessors] = [
        r#"[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":6}]"#,
        r#"[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
            {"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}]"#,
    ];
    let mesh = r#"{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}"#;
    format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{buffer}],"bufferViews":{views},"accessors":{accessors},
            "meshes":[{mesh}],"nodes":[{nodes}]}}"#
    )
}

const INLINE: &str = r#"{"byteLength":42,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA"}"#;

/// The same document with its buffer in a binary file.
fn glb(nodes: &str) -> Vec<u8> {
    let mut text = gltf(r#"{"byteLength":42}"#, nodes).into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let floats = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].map(f32::to_le_bytes).concat();
    let data = [floats, [0_u16, 1, 2].map(u16::to_le_bytes).concat(), vec![0; 2]].concat();
    let chunk = |kind: u32, data: &[u8]| [&(data.len() as u32).to_le_bytes()[..], &kind.to_le_bytes(), data].concat();
    let chunks = [chunk(0x4E4F_534A, &text), chunk(0x004E_4942, &data)].concat();
    [&b"glTF"[..], &2_u32.to_le_bytes(), &(12 + chunks.len() as u32).to_le_bytes(), &chunks].concat()
}

#[test]
fn gltf_puts_triangles_where_its_nodes_are() {
    // A parent that doubles, a child that moves, and a quarter turn about z.
    let nodes = r#"{"scale":[2,2,2],"children":[1]},
        {"translation":[5,0,0],"rotation":[0,0,0.70710678,0.70710678],"mesh":0}"#;
    for (ending, bytes) in [("gltf", gltf(INLINE, nodes).into_bytes()), ("glb", glb(nodes))] {
        let source = parse(ending, &bytes).unwrap();
        assert_eq!(source.indices, [[0, 1, 2]]);
        let expected = [[10.0, 0.0, 0.0], [10.0, 2.0, 0.0], [8.0, 0.0, 0.0]];
        for (found, expected) in source.positions.iter().zip(expected) {
            assert!(length(sub(wide(*found), expected)) < 1e-5, "{ending}: {found:?}, not {expected:?}");
        }
    }
}

#[test]
fn broken_gltf_is_an_error_and_never_a_hang() {
    let one = r#"{"mesh":0}"#;
    let whole = glb(one);
    for at in 0..whole.len() {
        let _ = parse("glb", &whole[..at]);
        for flip in [0x01, 0x11, 0x80] {
            let mut damaged = whole.clone();
            damaged[at] ^= flip;
            let _ = parse("glb", &damaged).map(TriangleMesh::from_triangles);
        }
    }
    let text = gltf(INLINE, one);
    for (from, to) in [
        (r#""count":3"#, r#""count":99999999999"#),
        (r#""byteOffset":36"#, r#""byteOffset":18446744073709551615"#),
        (r#""byteLength":36}"#, r#""byteLength":36,"byteStride":99999999}"#),
        (r#""POSITION":0"#, r#""POSITION":7"#),
        (r#""mesh":0"#, r#""mesh":4"#),
        (r#"{"mesh":0}"#, r#"{"mesh":0,"children":[0]}"#),
        (r#"{"mesh":0}"#, r#"{"children":[1]},{"children":[0]}"#),
        ("base64,AA", "base64,?A"),
        ("data:application/octet-stream;base64,", "other.bin#"),
        ("\"VEC3\"", "\"VEC2\""),
    ] {
        assert!(text.contains(from), "{from}");
        let error = parse("gltf", text.replacen(from, to, 2).as_bytes());
        assert!(error.is_err(), "{to}: {error:?}");
    }
}
