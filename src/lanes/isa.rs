//! Which instruction set runs a kernel: chosen once per batch, entered through one function.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::Avx2Lanes;
use super::{Lanes, ScalarLanes, WideLanes};

/// Which lanes a batch may use. Every choice gives the same bits; they differ in speed alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaneChoice {
    /// The fastest that this processor has.
    #[default]
    Auto,
    /// Plain arrays: slow, for comparing.
    Scalar,
    /// What the crate was compiled for: SSE2, NEON or scalar through the `wide` crate.
    Wide,
    /// AVX2; falls back to `Wide` where the processor lacks it.
    Avx2,
}

/// The instruction set in use. Values come from [`LaneChoice::pick`] alone, which looks at the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Scalar,
    Wide,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl LaneChoice {
    /// What this choice comes to on this processor.
    pub fn pick(self) -> Isa {
        Isa(match self {
            Self::Scalar => Kind::Scalar,
            Self::Wide => Kind::Wide,
            #[cfg(target_arch = "x86_64")]
            Self::Auto | Self::Avx2 if std::arch::is_x86_feature_detected!("avx2") => Kind::Avx2,
            Self::Auto | Self::Avx2 => Kind::Wide,
        })
    }
}

impl Isa {
    /// `scalar`, `wide` or `avx2`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Scalar => "scalar",
            Kind::Wide => "wide",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
        }
    }
}

/// Work over one block, generic over the lanes. `run` must be `#[inline(always)]`, and so must all it calls.
pub(crate) trait Kernel {
    /// Does the work.
    fn run<L: Lanes>(self);
}

/// Runs the kernel with the lanes of `isa`.
#[inline(always)]
pub(crate) fn dispatch<K: Kernel>(isa: Isa, kernel: K) {
    match isa.0 {
        Kind::Scalar => kernel.run::<ScalarLanes>(),
        Kind::Wide => kernel.run::<WideLanes>(),
        // SAFETY: the variant exists only after `is_x86_feature_detected!("avx2")` (`LaneChoice::pick`).
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => unsafe { run_avx2(kernel) },
    }
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn run_avx2<K: Kernel>(kernel: K) {
    kernel.run::<Avx2Lanes>();
}
