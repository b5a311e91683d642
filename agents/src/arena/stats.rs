//! Means and shares with confidence intervals.

use serde::Serialize;
use statrs::distribution::{Beta, ContinuousCDF as _, StudentsT};
use stier_core::{BySeat, Seat};

/// The range of values that may have any size.
const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// The normal quantile of a 95 % interval.
const NORMAL: f64 = 1.959_964;

/// A mean and its confidence interval.
///
/// # Method
/// Student's interval treats values that were never seen as impossible: of 100 equal returns it would say that no other
/// return exists. Where the range of the values is known, each side of the interval is therefore computed as if one
/// more value lay at that end of the range. It counts by its own part in the variance: fully if the values hardly vary,
/// and next to nothing if they vary as much as the range allows. On the side of a longer tail the interval is also
/// wider by the term for skewness in the Edgeworth expansion of Student's statistic (P. Hall, *On the removal of
/// skewness by transformation*, 1992). `ci95` is the larger of the two sides. The coverage is measured in
/// `benches/COVERAGE.md`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The mean over the units.
    pub mean: f64,
    /// Half the width of the 95 % interval; NaN for a single unit. The mean less it is also a lower bound of its own
    /// with 95 % confidence, and the mean plus it an upper one.
    pub ci95: f64,
    /// The number of independent units: deals, not games.
    pub units: u64,
}

impl Estimate {
    /// The mean of independent observations without a known range, with Student's interval; `None` if there are
    /// none. Equal observations have an interval of width 0: use [`within`](Self::within) wherever a range is known.
    pub fn of(values: &[f64]) -> Option<Self> {
        Self::within(values, ANY)
    }

    /// The mean of independent observations in a range; `None` if there are none.
    pub fn within(values: &[f64], range: (f64, f64)) -> Option<Self> {
        let units = values.len();
        if units == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / units as f64;
        let moments = Moments::of(values.iter().map(|value| value - mean));
        Some(Self { mean, ci95: half_width(mean, moments, 1.0, range), units: units as u64 })
    }

    /// The mean of so many independent observations in a range, given their sum and that of their squares; `None` if there
    /// are none. Their skewness is not known: the interval allows for as much as the range does.
    pub fn of_sums(units: u64, sum: f64, squares: f64, range: (f64, f64)) -> Option<Self> {
        if units == 0 {
            return None;
        }
        let mean = sum / units as f64;
        let moments = Moments { units: units as f64, squares: (squares - sum * mean).max(0.0), cubes: None };
        Some(Self { mean, ci95: half_width(mean, moments, 1.0, range), units })
    }

    /// The sum of the parts divided by the sum of the wholes, for independent pairs of (part, whole), where the range
    /// is that of one part divided by its whole; `None` if the wholes sum to 0. The interval is the linearised one for
    /// ratios (W. G. Cochran, *Sampling Techniques*, 1977).
    pub fn ratio(pairs: &[(f64, f64)], range: (f64, f64)) -> Option<Self> {
        let whole: f64 = pairs.iter().map(|(_, whole)| whole).sum();
        if whole == 0.0 {
            return None;
        }
        let mean = pairs.iter().map(|(part, _)| part).sum::<f64>() / whole;
        let scale = pairs.len() as f64 / whole;
        let moments = Moments::of(pairs.iter().map(|(part, whole)| scale * (part - mean * whole)));
        // The unseen unit is as large as those that carry the information.
        let size = scale * pairs.iter().map(|(_, whole)| whole * whole).sum::<f64>() / whole;
        Some(Self { mean, ci95: half_width(mean, moments, size, range), units: pairs.len() as u64 })
    }

    /// The interval as text to append to the mean, such as ` ± 0.12`; empty if there is no interval.
    pub fn plus_minus(&self, digits: usize) -> String {
        if self.ci95.is_nan() { String::new() } else { format!(" ± {:.digits$}", self.ci95) }
    }
}

/// The deviations of units from their mean: how many there are, the sum of their squares and that of their cubes, if it
/// is known.
#[derive(Clone, Copy)]
struct Moments {
    units: f64,
    squares: f64,
    cubes: Option<f64>,
}

impl Moments {
    fn of(deviations: impl Iterator<Item = f64> + Clone) -> Self {
        Self {
            units: deviations.clone().count() as f64,
            squares: deviations.clone().map(|deviation| deviation * deviation).sum(),
            cubes: Some(deviations.map(|deviation| deviation * deviation * deviation).sum()),
        }
    }
}

/// Half the width of the interval of a mean, given the weight of an unseen unit among the deviations; NaN for a single
/// unit and for values that are not numbers. See [`Estimate`].
fn half_width(mean: f64, Moments { units, squares, cubes }: Moments, size: f64, range: (f64, f64)) -> f64 {
    if units < 2.0 || mean.is_nan() {
        return f64::NAN;
    }
    let quantile = StudentsT::new(0.0, 1.0, units - 1.0).expect("positive degrees of freedom").inverse_cdf(0.975);
    let student = |squares: f64| quantile * (squares / (units - 1.0) / units).sqrt();
    let side = |distance: f64, sign: f64| {
        let unseen = size * distance;
        if unseen.is_infinite() {
            return student(squares);
        }
        let weight = unseen * unseen / (squares + unseen * unseen);
        let squares = squares + weight * unseen * unseen;
        if squares == 0.0 || unseen == 0.0 {
            return 0.0;
        }
        // No deviation to this side is larger than the distance.
        let tail = cubes.map_or(unseen * squares, |cubes| sign * cubes + weight * unseen * unseen * unseen);
        let skewness = tail / squares;
        (student(squares) + (2.0 * NORMAL * NORMAL + 1.0) / 6.0 * skewness.max(0.0) / units).min(distance)
    };
    // Rounding may take the mean slightly out of the range.
    side((mean - range.0).max(0.0), -1.0).max(side((range.1 - mean).max(0.0), 1.0))
}

/// A share, such as that of games won, and its confidence interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Share {
    /// The mean over the units, between 0 and 1.
    pub mean: f64,
    /// The lower end of the 95 % interval; NaN for a single unit.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The number of independent units: deals, not games.
    pub units: u64,
}

/// Sums over independent pairs of a part and its whole, such as games won and games decided in a deal.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ShareSums {
    /// The number of pairs.
    pub units: u64,
    /// The sum of the parts.
    pub part: f64,
    /// The sum of the wholes.
    pub whole: f64,
    /// The sum of the squared parts.
    pub part_squared: f64,
    /// The sum of the products of part and whole.
    pub product: f64,
    /// The sum of the squared wholes.
    pub whole_squared: f64,
}

impl ShareSums {
    /// Sums independent pairs of (part, whole).
    pub fn of(pairs: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut sums = Self::default();
        for (part, whole) in pairs {
            sums.units += 1;
            sums.part += part;
            sums.whole += whole;
            sums.part_squared += part * part;
            sums.product += part * whole;
            sums.whole_squared += whole * whole;
        }
        sums
    }
}

impl Share {
    /// The mean of independent observations between 0 and 1; `None` if there are none. See
    /// [`of_sums`](Self::of_sums).
    pub fn of(values: &[f64]) -> Option<Self> {
        Self::ratio(values.iter().map(|&value| (value, 1.0)))
    }

    /// The sum of the parts divided by the sum of the wholes, for independent pairs of (part, whole). See
    /// [`of_sums`](Self::of_sums).
    pub fn ratio(pairs: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        Self::of_sums(&ShareSums::of(pairs))
    }

    /// The sum of the parts divided by the sum of the wholes; `None` if the wholes sum to 0.
    ///
    /// The interval is that of C. J. Clopper and E. S. Pearson (1934) for a binomial share, with the effective sample
    /// size as the number of trials. The effective sample size is the ratio of the binomial variance to that of the
    /// units (E. L. Korn and B. I. Graubard, *Confidence intervals for proportions with small expected number of
    /// positive counts estimated from survey data*, 1998). Both variances include one additional unit of share 0 and
    /// one of share 1 (as in A. Agresti and B. A. Coull, 1998), so identical units do not look certain.
    pub fn of_sums(sums: &ShareSums) -> Option<Self> {
        let ShareSums { units, part, whole, part_squared, product, whole_squared } = *sums;
        if whole == 0.0 {
            return None;
        }
        // Rounding may take the sums slightly out of range.
        let mean = (part / whole).clamp(0.0, 1.0);
        if units < 2 {
            return Some(Self { mean, low: f64::NAN, high: f64::NAN, units });
        }
        // The number of equal units that would carry as much information. Units without a whole carry none.
        let count = whole * whole / whole_squared;
        let each = whole / count;
        let share = (part + each) / (whole + 2.0 * each);
        let residuals = part_squared - 2.0 * share * product + share * share * whole_squared;
        let squares = residuals / (each * each) + share * share + (1.0 - share) * (1.0 - share);
        let effect = squares / ((count + 2.0) * share * (1.0 - share));
        let trials = count / effect;
        let (won, lost) = (mean * trials, (1.0 - mean) * trials);
        let quantile = |a: f64, b: f64, at: f64| Beta::new(a, b).expect("positive shapes").inverse_cdf(at);
        let low = if won > 0.0 { quantile(won, lost + 1.0, 0.025).min(mean) } else { 0.0 };
        let high = if lost > 0.0 { quantile(won + 1.0, lost, 0.975).max(mean) } else { 1.0 };
        Some(Self { mean, low, high, units })
    }

    /// The share in percent, such as `48.2 %`.
    pub fn percent(&self) -> String {
        format!("{:.1} %", 100.0 * self.mean)
    }

    /// The interval in percent, such as `(47.8 to 48.6)`; empty if there is no interval.
    pub fn interval(&self) -> String {
        if self.low.is_nan() {
            return String::new();
        }
        format!("({:.1} to {:.1})", 100.0 * self.low, 100.0 * self.high)
    }
}

/// The seat's share of the win: 1 for sole first place, an equal part for a shared first place, 0 otherwise.
pub fn win_share(returns: &BySeat<f64>, seat: Seat) -> f64 {
    let best = returns.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let first = returns.iter().filter(|&&value| value == best).count();
    if returns[seat] == best { 1.0 / first as f64 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use stier_core::{BySeat, Rng, Seat};

    use super::{ANY, Estimate, Share, ShareSums, win_share};

    #[test]
    fn first_place_is_shared() {
        let returns = BySeat::from_fn(4, |seat| [1.0, 3.0, 3.0, -7.0][seat.index()]);
        assert_eq!([0, 1, 2, 3].map(|seat| win_share(&returns, Seat(seat))), [0.0, 0.5, 0.5, 0.0]);
    }

    #[test]
    fn intervals_are_students() {
        // 1, 2, 3, 4: mean 2.5, standard deviation 1.29099, t(3) = 3.18245.
        let estimate = Estimate::of(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(estimate.mean, 2.5);
        assert!((estimate.ci95 - 3.18245 * 1.29099 / 2.0).abs() < 1e-3, "{}", estimate.ci95);
        assert_eq!(Estimate::of(&[]), None);
        let single = Estimate::of(&[7.0]).unwrap();
        assert!(single.ci95.is_nan() && single.plus_minus(3).is_empty());
        assert_eq!(estimate.plus_minus(1), " ± 2.1");
    }

    #[test]
    fn ratios_weigh_by_the_whole() {
        let estimate = Estimate::ratio(&[(1.0, 2.0), (3.0, 4.0), (0.0, 0.0), (2.0, 4.0)], ANY).unwrap();
        assert_eq!((estimate.mean, estimate.units), (0.6, 4));
        // Residuals -0.2, 0.6, 0, -0.4 over a mean whole of 2.5: standard deviation 0.432049 / 2.5.
        assert!((estimate.ci95 - 3.18245 * 0.432_049 / 2.5 / 2.0).abs() < 1e-4, "{}", estimate.ci95);
        assert_eq!(Estimate::ratio(&[(0.0, 0.0)], ANY), None);
        // With wholes of 1 it is the plain mean.
        let values = [1.0, 2.0, 4.0];
        let plain = Estimate::of(&values).unwrap();
        let ratio = Estimate::ratio(&values.map(|value| (value, 1.0)), ANY).unwrap();
        assert!((ratio.mean - plain.mean).abs() < 1e-12 && (ratio.ci95 - plain.ci95).abs() < 1e-12);
    }

    /// The binomial interval of C. J. Clopper and E. S. Pearson, by their tables, for units that are won or lost.
    #[test]
    fn shares_that_are_won_or_lost_have_the_binomial_interval() {
        for (won, units, low, high) in
            [(200, 200, 0.98172, 1.0), (0, 20, 0.0, 0.16843), (10, 20, 0.27196, 0.72804), (199, 200, 0.97246, 0.99987)]
        {
            let values: Vec<f64> = (0..units).map(|unit| f64::from(unit < won)).collect();
            let share = Share::of(&values).unwrap();
            assert!((share.low - low).abs() < 1e-4 && (share.high - high).abs() < 1e-4, "{won} of {units}: {share:?}");
        }
        let all = Share::of(&[1.0; 200]).unwrap();
        assert_eq!((all.percent(), all.interval()), ("100.0 %".to_string(), "(98.2 to 100.0)".to_string()));
        let single = Share::of(&[0.5]).unwrap();
        assert_eq!((single.percent(), single.interval()), ("50.0 %".to_string(), String::new()));
        assert_eq!(Share::of(&[]), None);
    }

    /// Fractional shares are known more precisely than shares won or lost; identical units still leave an interval.
    #[test]
    fn shares_use_the_variance_of_the_units() {
        let width = |values: &[f64]| Share::of(values).map(|share| share.high - share.low).unwrap();
        let binomial: Vec<f64> = (0..200).map(|unit| f64::from(unit % 2)).collect();
        let paired: Vec<f64> = (0..200).map(|unit| [0.5, 0.5, 0.0, 0.5, 1.0][unit % 5]).collect();
        let alike = [0.5; 200];
        assert!(width(&binomial) > width(&paired) && width(&paired) > width(&alike));
        assert!((0.01..0.03).contains(&width(&alike)), "{}", width(&alike));
        let t = Estimate::of(&paired).unwrap();
        assert!((width(&paired) / (2.0 * t.ci95) - 1.0).abs() < 0.05, "away from 0 and 1 it is Student's interval");
    }

    #[test]
    fn shares_of_sums_are_shares_of_pairs() {
        let pairs = [(1.0, 2.0), (2.0, 2.0), (0.0, 1.0), (2.0, 3.0), (3.0, 3.0)];
        let sums = ShareSums::of(pairs);
        let share = Share::of_sums(&sums).unwrap();
        assert!((share.mean - 8.0 / 11.0).abs() < 1e-12 && share.low < 0.5 && share.high > 0.9, "{share:?}");
        // The complement of the share.
        let other = ShareSums {
            part: sums.whole - sums.part,
            part_squared: sums.whole_squared - 2.0 * sums.product + sums.part_squared,
            product: sums.whole_squared - sums.product,
            ..sums
        };
        let other = Share::of_sums(&other).unwrap();
        assert!((other.low + share.high - 1.0).abs() < 1e-9 && (other.high + share.low - 1.0).abs() < 1e-9);
        assert_eq!(Share::of_sums(&ShareSums::default()), None);
    }

    /// Units without a whole carry no information. Unequal wholes carry less than the same number of equal ones.
    #[test]
    fn units_count_by_their_wholes() {
        let two = Share::ratio([(1.0, 1.0); 2]).unwrap();
        let among_many = Share::ratio([(1.0, 1.0); 2].into_iter().chain([(0.0, 0.0); 1000])).unwrap();
        assert_eq!((two.low, two.high), (among_many.low, among_many.high));
        let mut rng = Rng::stream(1, "coverage of ratios", 0);
        for (decided, units, least) in [(0.05, 100, 0.93), (0.5, 100, 0.93), (0.5, 20, 0.93)] {
            let (mut held, samples) = (0, 2000);
            for _ in 0..samples {
                let mut pair = || {
                    let whole = (0..2).filter(|_| rng.unit() < decided).count();
                    ((0..whole).filter(|_| rng.unit() < 0.9).count() as f64, whole as f64)
                };
                let pairs: Vec<_> = (0..units).map(|_| pair()).collect();
                held += u32::from(Share::ratio(pairs).is_none_or(|share| (share.low..=share.high).contains(&0.9)));
            }
            let coverage = f64::from(held) / f64::from(samples);
            assert!(coverage >= least, "{decided} of {units}: {coverage}");
        }
    }

    /// Returns that hardly vary leave an interval as wide as what was not seen allows: of units that are all at one end,
    /// about that of a share.
    #[test]
    fn equal_values_in_a_range_leave_an_interval() {
        for units in [12, 40, 100, 1000] {
            let all = Estimate::within(&vec![1.0; units], (-1.0, 1.0)).unwrap();
            let share = Share::of(&vec![1.0; units]).unwrap();
            let wide = all.ci95 / (2.0 * (1.0 - share.low));
            assert!(all.mean == 1.0 && (0.9..1.2).contains(&wide), "{units}: {all:?}, {share:?}");
            let inside = Estimate::within(&vec![0.25; units], (-1.0, 1.0)).unwrap();
            assert!((inside.ci95 - 1.25 / 2.0 * all.ci95).abs() < 1e-12, "as far as the farther end: {inside:?}");
        }
        assert_eq!(Estimate::within(&[3.0; 5], (3.0, 3.0)).unwrap().ci95, 0.0, "nothing else is possible");
        assert!(Estimate::within(&[1.0], (-1.0, 1.0)).unwrap().ci95.is_nan());
        assert_eq!(Estimate::within(&[-1.0, 1.0], (-1.0, 1.0)).unwrap().ci95, 1.0, "no wider than the range");
        for range in [ANY, (-1.0, 1.0)] {
            let found = Estimate::within(&[0.0, f64::NAN, 1.0], range).unwrap();
            assert!(found.mean.is_nan() && found.ci95.is_nan(), "{found:?}");
        }
    }

    /// Sums of units that lie at the ends of the range say as much as the units. Those of others say less.
    #[test]
    fn sums_allow_for_any_skewness() {
        let range = (-1.0, 1.0);
        let both = |values: &[f64]| {
            let squares = values.iter().map(|value| value * value).sum();
            let sums = Estimate::of_sums(values.len() as u64, values.iter().sum(), squares, range).unwrap();
            (Estimate::within(values, range).unwrap(), sums)
        };
        for lost in [0, 1, 3, 30, 100] {
            let values: Vec<f64> = (0..200).map(|unit| if unit < lost { -1.0 } else { 1.0 }).collect();
            let (values, sums) = both(&values);
            assert!(
                (values.mean - sums.mean).abs() < 1e-12 && values.ci95 <= sums.ci95 + 1e-12,
                "{values:?}, {sums:?}"
            );
            assert!(sums.ci95 < 1.15 * values.ci95, "{lost}: {values:?}, {sums:?}");
        }
        let (values, sums) = both(&[-0.5, 0.5].repeat(100));
        assert!(values.ci95 < sums.ci95 && sums.ci95 < 1.15 * values.ci95, "{values:?}, {sums:?}");
        assert_eq!(Estimate::of_sums(0, 0.0, 0.0, range), None);
    }

    /// The interval is Student's where no range is known, and where values vary as much as the range allows.
    #[test]
    fn values_that_vary_have_students_interval() {
        let values: Vec<f64> = (0..400).map(|unit| f64::from(unit % 2)).collect();
        let (student, within) = (Estimate::of(&values).unwrap(), Estimate::within(&values, (0.0, 1.0)).unwrap());
        assert!((1.0..1.001).contains(&(within.ci95 / student.ci95)), "{within:?}, {student:?}");
        assert_eq!(Estimate::within(&values, (f64::NEG_INFINITY, f64::INFINITY)), Some(student));
        let pairs: Vec<(f64, f64)> = values.iter().map(|&value| (3.0 * value, 3.0)).collect();
        let ratio = Estimate::ratio(&pairs, (0.0, 1.0)).unwrap();
        assert!((ratio.ci95 - within.ci95).abs() < 1e-12, "equal wholes change nothing");
        // Units without a whole carry no information, also on what was not seen.
        let alike = |none: usize| [vec![(1.0, 1.0); 40], vec![(0.0, 0.0); none]].concat();
        let [few, many] = [0, 4000].map(|none| Estimate::ratio(&alike(none), (0.0, 1.0)).unwrap().ci95);
        assert!((many / few - 1.0).abs() < 0.05, "{few}, {many}");
    }

    /// In simulations `mean ± ci95` covers the true mean in at least 95 of 100 samples, and each side of it alone, up to
    /// the error of the simulation: for means of 1, 2 and 6 games that are won or lost, for rare large losses beside
    /// returns that vary little or not at all, and for returns of a normal distribution.
    #[test]
    fn intervals_of_means_have_their_nominal_coverage() {
        let mut rng = Rng::stream(1, "coverage of means", 0);
        let samples = 1000;
        // The error that 1000 samples may have: three standard deviations.
        let most = 0.05 + 3.0 * (0.05 * 0.95 / f64::from(samples)).sqrt();
        let normal = |rng: &mut Rng| (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
        for often in [0.5, 0.9, 0.97, 0.99, 0.999] {
            let (kinds, loss) = (7, 1.0 - often);
            for kind in 0..kinds {
                let truth = match kind {
                    0..=2 => 2.0 * often - 1.0,
                    3 => -loss + 0.45 * often,
                    4 => -0.6 * loss,
                    _ => -loss,
                };
                let one = |rng: &mut Rng| {
                    let games = [1, 2, 6, 1, 1, 1, 1][kind];
                    let lost = (0..games).filter(|_| rng.unit() >= often).count() as f64 / f64::from(games);
                    match kind {
                        0..=2 => 1.0 - 2.0 * lost,
                        3 if lost == 0.0 => [0.4, 0.5][usize::from(rng.unit() < 0.5)],
                        4 if lost == 1.0 => [-1.0, 1.0][usize::from(rng.unit() < 0.2)],
                        5 | 6 if lost == 0.0 => (normal(rng) * [0.03, 0.1][kind - 5]).clamp(-1.0, 1.0),
                        _ => -lost,
                    }
                };
                for units in [12, 40, 100, 400] {
                    let (mut below, mut above) = (0, 0);
                    for _ in 0..samples {
                        let values: Vec<f64> = (0..units).map(|_| one(&mut rng)).collect();
                        let found = Estimate::within(&values, (-1.0, 1.0)).unwrap();
                        below += u32::from(truth < found.mean - found.ci95 - 1e-9);
                        above += u32::from(truth > found.mean + found.ci95 + 1e-9);
                    }
                    let missed = f64::from(below + above) / f64::from(samples);
                    assert!(missed <= most, "kind {kind}, {often}, {units} units: {below} + {above} of {samples}");
                }
            }
        }
    }

    /// In simulations the interval covers the true share in at least 93 of 100 samples, for units won or lost and for
    /// means of two and six games, also near 0 and 1. In the middle it is not much wider than necessary.
    #[test]
    fn intervals_of_shares_have_their_nominal_coverage() {
        let mut rng = Rng::stream(1, "coverage", 0);
        let samples = 2000;
        for games in [1_usize, 2, 6] {
            for units in [20, 200] {
                for truth in [0.5, 0.9, 0.99, 0.999] {
                    let (mut held, mut width) = (0, 0.0);
                    for _ in 0..samples {
                        let mut unit = || (0..games).filter(|_| rng.unit() < truth).count() as f64 / games as f64;
                        let values: Vec<f64> = (0..units).map(|_| unit()).collect();
                        let share = Share::of(&values).unwrap();
                        assert!(share.low < share.high && (share.low..=share.high).contains(&share.mean), "{share:?}");
                        held += u32::from((share.low..=share.high).contains(&truth));
                        width += share.high - share.low;
                    }
                    let coverage = f64::from(held) / f64::from(samples);
                    assert!(coverage >= 0.93, "{games} games, {units} units, {truth}: {coverage}");
                    if units == 200 && truth < 0.95 {
                        let student = 2.0 * 1.972 * (truth * (1.0 - truth) / (games * units) as f64).sqrt();
                        assert!(width / f64::from(samples) < 1.15 * student, "{games} games, {truth}: {width}");
                    }
                }
            }
        }
    }
}
