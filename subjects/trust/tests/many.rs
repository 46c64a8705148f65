//! Many tests on one worker thread: a copy of the process has no such thread.

macro_rules! tests {
    ($($name:ident)*) => {$(
        #[probity::test(cases = 300)]
        fn $name(a: u32, b: Vec<u8>) {
            let n = u64::from(a) + b.iter().map(|&n| u64::from(n)).sum::<u64>();
            let worker = trust::WORKER.lock().unwrap();
            assert_eq!(worker.double(n), 2 * n);
        }
    )*};
}

tests! {
    t00 t01 t02 t03 t04 t05 t06 t07 t08 t09 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19
    t20 t21 t22 t23 t24 t25 t26 t27 t28 t29 t30 t31 t32 t33 t34 t35 t36 t37 t38 t39
}
