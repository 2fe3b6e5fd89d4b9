//! The programs of `examples/` as documentation tests, so that every one of them is run, with the assertions in it:
//! `cargo test --tests` does not link examples.

macro_rules! run {
    ($($name:ident)*) => {
        $(
            #[doc = "```standalone_crate"]
            #[doc = include_str!(concat!("../examples/", stringify!($name), ".rs"))]
            #[doc = "```"]
            mod $name {}
        )*
    };
}

run! {
    bouncing_ball
    disc_on_floor
    door_with_stop
    mechanism_from_closures
    newtons_cradle
    pendulum_from_expressions
    sliding_block
    solve_problem
    wall
}
