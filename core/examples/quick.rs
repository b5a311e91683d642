use std::time::Instant;
use stier_core::games::schwinget::{Rules, Schwinget};
use stier_core::{ActionSet as _, Sampler as _, *};
fn playout<G: Game>(g: &G, s: &mut G::State, rng: &mut Rng) -> u32 {
    let mut n = 0;
    while let Turn::Seat(_) = g.turn(s) {
        let a = g.legal(s).pick(rng);
        g.step(s, a, rng);
        n += 1;
    }
    n
}
fn playout_h<G: Hints>(g: &G, s: &mut G::State, rng: &mut Rng) -> u32 {
    let mut n = 0;
    while let Turn::Seat(_) = g.turn(s) {
        let a = g.rollout(s, g.legal(s)).pick(rng);
        g.step(s, a, rng);
        n += 1;
    }
    n
}
fn main() {
    let g = Schwinget::new(Rules::default()).unwrap();
    let mut rng = Rng::stream(1, "x", 0);
    let mut h = History::dealt(&g, &mut rng);
    for _ in 0..3 {
        let (mut n, mut sum) = (0u64, 0.0);
        let t = Instant::now();
        for _ in 0..1_000_000 {
            let mut s = *h.state();
            n += g.playout(&mut s, &mut rng) as u64;
            sum += g.returns(&s)[Seat(0)];
        }
        println!("random {:.2} ns/ply, {:.2} plies {sum}", t.elapsed().as_nanos() as f64 / n as f64, n as f64 / 1e6);
        let (mut n, mut sum) = (0u64, 0.0);
        let t = Instant::now();
        for _ in 0..1_000_000 {
            let mut s = *h.state();
            n += g.hinted_playout(&mut s, &mut rng) as u64;
            sum += g.returns(&s)[Seat(0)];
        }
        println!("hints {:.2} ns/ply, {:.2} plies {sum}", t.elapsed().as_nanos() as f64 / n as f64, n as f64 / 1e6);
    }
    for _ in 0..8 {
        let a = g.legal(h.state()).without(Actions64(1 << 26)).pick(&mut rng);
        h.push(&g, a);
        h.settle(&g, &mut rng);
    }
    let t = Instant::now();
    for _ in 0..100000 {
        std::hint::black_box(g.view(&h, Seat(0)));
    }
    println!("view {:.1} ns", t.elapsed().as_nanos() as f64 / 1e5);
    let v = g.view(&h, Seat(0));
    println!("{}", g.knowledge(&v));
    println!("{}", g.text(h.state(), Some(Seat(0))));
    let t = Instant::now();
    for _ in 0..10000 {
        std::hint::black_box(g.sampler(&v));
    }
    println!("sampler {:.1} ns", t.elapsed().as_nanos() as f64 / 1e4);
    let sm = g.sampler(&v);
    println!("{} worlds", sm.count());
    let t = Instant::now();
    for _ in 0..10_000_000 {
        std::hint::black_box(sm.sample(&mut rng));
    }
    println!("sample {:.1} ns", t.elapsed().as_nanos() as f64 / 1e7);
    let t = Instant::now();
    for _ in 0..10000 {
        std::hint::black_box(sm.sample_history(&g, &mut rng));
    }
    println!("sample_history {:.1} ns", t.elapsed().as_nanos() as f64 / 1e4);
}
