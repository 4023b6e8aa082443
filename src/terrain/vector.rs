//! Vectors of three f64, for what is done once when ground is made.

pub(super) fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn length(vector: [f64; 3]) -> f64 {
    dot(vector, vector).sqrt()
}

/// Not finite where there is no length.
pub(super) fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = length(vector);
    vector.map(|part| part / length)
}
