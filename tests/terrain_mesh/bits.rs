//! The same bits on every kind of lanes, and in every order of gathering.

use crate::SEED;
use crate::support::*;
use proptest::prelude::*;
use serpentarium::Terrain;
use serpentarium::lanes::{Lanes, ScalarLanes, WideLanes};
use serpentarium::terrain::{Contact, FaceId, Hit, Nearby, Plane, TerrainSet, TriangleMesh};

type Bits = Vec<u32>;

fn vector(bits: &mut Bits, parts: [f32; 3], id: FaceId) {
    bits.extend(parts.map(f32::to_bits));
    bits.extend([id.part.index() as u32, id.face]);
}

fn hit(bits: &mut Bits, found: Option<Hit>) {
    bits.push(found.map_or(u32::MAX, |hit| hit.time.to_bits()));
    if let Some(hit) = found {
        vector(bits, hit.normal, hit.id);
        vector(bits, hit.point, hit.id);
    }
}

fn contact(bits: &mut Bits, found: Option<Contact>) {
    bits.push(found.map_or(u32::MAX, |contact| contact.depth.to_bits()));
    if let Some(contact) = found {
        vector(bits, contact.normal, contact.id);
        vector(bits, contact.point, contact.id);
    }
}

/// The bits of all that is asked about one body.
#[inline(always)]
fn all<L: Lanes>(nearby: &Nearby, (a, half, radius, way): &([f32; 3], [f32; 3], f32, [f32; 3])) -> Bits {
    let mut bits = Bits::new();
    let b = [0, 1, 2].map(|axis| a[axis] + half[axis]);
    if let Some(closest) = nearby.closest_point::<L>(*a) {
        bits.push(closest.distance.to_bits());
        vector(&mut bits, closest.normal, closest.id);
        vector(&mut bits, closest.point, closest.id);
    }
    for end in [*a, b] {
        contact(&mut bits, nearby.deepest::<L>(*a, end, *radius));
        hit(&mut bits, nearby.sweep::<L>(*a, end, *radius, *way));
    }
    hit(&mut bits, nearby.ray::<L>(*a, *way, 3.0));
    hit(&mut bits, nearby.ray_down::<L>(*a, 9.0));
    bits
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn all_avx2(nearby: &Nearby, body: &([f32; 3], [f32; 3], f32, [f32; 3])) -> Bits {
    all::<serpentarium::lanes::Avx2Lanes>(nearby, body)
}

fn set_of(corners: &[[[f32; 3]; 3]]) -> Option<Terrain> {
    let mut set = TerrainSet::new();
    set.insert(Plane::level(-2.5)).unwrap();
    let ground = set.insert(serpentarium::Heightfield::from_heights(hills(12, 0.6, 1.0)).unwrap()).unwrap();
    set.translate(ground, [0.0, -1.5, 0.0]).unwrap();
    set.insert(TriangleMesh::from_triangles(soup(corners)).ok()?).unwrap();
    Some(set.into())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, rng_seed: SEED, ..ProptestConfig::default() })]

    #[test]
    fn queries_agree_bit_for_bit(
        corners in any_triangles(30),
        bodies in prop::collection::vec((point(3.0), point(0.5), 0.0..0.5_f32, point(5.0)), 6),
    ) {
        let Some(terrain) = set_of(&corners) else { return Ok(()) };
        let nearby = everything(&terrain, [0.1, 0.2, 0.3]);
        for body in &bodies {
            let scalar = all::<ScalarLanes>(&nearby, body);
            prop_assert_eq!(&all::<WideLanes>(&nearby, body), &scalar, "wide against scalar");
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2.
                prop_assert_eq!(&unsafe { all_avx2(&nearby, body) }, &scalar, "avx2 against scalar");
            }
        }
    }

    #[test]
    fn the_order_of_triangles_decides_nothing_but_their_names(
        corners in any_triangles(30),
        bodies in prop::collection::vec((point(3.0), point(0.5), 0.02..0.5_f32, point(5.0)), 4),
    ) {
        // Reversed as a list, the packets are others, and so are the lanes.
        let reversed: Vec<_> = corners.iter().rev().copied().collect();
        let made = [&corners, &reversed].map(|list| TriangleMesh::from_triangles(soup(list)));
        let [Ok(one), Ok(other)] = made else { return Ok(()) };
        let [one, other] = [one, other].map(|mesh| everything(&mesh.into(), [0.0; 3]));
        for (a, half, radius, way) in bodies {
            let b = [0, 1, 2].map(|axis| a[axis] + half[axis]);
            let [one, other] = [&one, &other].map(|nearby| {
                let distance = nearby.closest(a).map(|closest| closest.distance.to_bits());
                let depth = nearby.contact(a, b, radius).map(|contact| contact.depth.to_bits());
                let time = nearby.swept(a, b, radius, way).map(|hit| hit.time.to_bits());
                (distance, depth, time)
            });
            prop_assert_eq!(one, other);
        }
    }

    #[test]
    fn samples_in_lanes_have_the_bits_of_single_ones(corners in any_triangles(40), places in prop::collection::vec(point(4.0), 8)) {
        let Some(set) = set_of(&corners) else { return Ok(()) };
        let Ok(mesh) = TriangleMesh::from_triangles(soup(&corners)) else { return Ok(()) };
        for terrain in [Terrain::None, Terrain::flat(0.5), field(hills(9, 0.9, 1.0)), mesh.into(), set] {
            let part = |axis: usize| -> [f64; 8] { std::array::from_fn(|lane| f64::from(places[lane][axis])) };
            let (x, mut y, mut z) = (part(0), part(1), part(2));
            (y[3], z[5]) = (f64::INFINITY, f64::NAN);
            let ground = terrain.sample_under_lanes(&x, &y, &z);
            let highest = terrain.sample_lanes(&x, &z);
            for lane in 0..8 {
                for (ground, single) in [(&ground, terrain.sample_under(x[lane], y[lane], z[lane])), (&highest, terrain.sample(x[lane], z[lane]))] {
                    prop_assert_eq!(ground.hit[lane], single.is_some());
                    let (height, normal) = single.map_or((0.0, [0.0, 1.0, 0.0]), |single| (single.height_m, single.normal));
                    prop_assert_eq!(ground.height_m[lane].to_bits(), height.to_bits());
                    prop_assert_eq!(ground.normal.map(|part| part[lane].to_bits()), normal.map(f32::to_bits));
                }
            }
        }
    }
}

#[test]
fn the_same_triangles_give_the_same_mesh() {
    let source = mesh_of(&hills(40, 0.5, 2.0));
    assert_eq!(mesh(source.clone()), mesh(source));
}
