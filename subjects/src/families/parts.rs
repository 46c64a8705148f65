//! What tests with hidden failures and random programs are made of.

use super::*;

/// The quotient by the instruction, with nothing that looks at it before.
pub fn div(low: u32, high: u32, by: u32) -> u32 {
    let mut quotient = low;
    // SAFETY: there is none where it faults, on purpose.
    unsafe { asm!("div {by:e}", by = in(reg) by, inout("eax") quotient, inout("edx") high => _) };
    quotient
}

pub fn div_bytes(of: u32, by: u8) -> u32 {
    let mut quotient = of as u16;
    // SAFETY: as above.
    unsafe { asm!("div {by}", by = in(reg_byte) by, inout("ax") quotient) };
    u32::from(quotient as u8)
}

pub fn div_wide(low: u64, high: u64, by: u64) -> u64 {
    let mut quotient = low;
    // SAFETY: as above.
    unsafe { asm!("div {by}", by = in(reg) by, inout("rax") quotient, inout("rdx") high => _) };
    quotient
}

pub fn idiv(of: i32, by: i32) -> i32 {
    let mut quotient = of;
    // SAFETY: as above.
    unsafe { asm!("cdq", "idiv {by:e}", by = in(reg) by, inout("eax") quotient, out("edx") _) };
    quotient
}

/// A file that is nowhere.
pub fn memory_file() -> File {
    // SAFETY: the name is a text, and the new file is ours.
    unsafe { File::from_raw_fd(libc::memfd_create(c"subject".as_ptr(), 0)) }
}

pub fn through_file(data: &[u8]) -> Vec<u8> {
    let mut file = memory_file();
    file.write_all(data).expect("there is room");
    file.rewind().expect("it is a file");
    let mut back = Vec::new();
    file.read_to_end(&mut back).expect("it is a file");
    back
}

pub fn through_pipe(data: &[u8]) -> Vec<u8> {
    let (mut reader, mut writer) = std::io::pipe().expect("there are pipes");
    writer.write_all(data).expect("there is room");
    drop(writer);
    let mut back = Vec::new();
    reader.read_to_end(&mut back).expect("it ends");
    back
}

pub fn through_system_calls(data: &[u8]) -> Vec<u8> {
    let mut back = vec![0; data.len()];
    let mut ends = [0_i32; 2];
    // SAFETY: the calls get what they are to write and to read.
    unsafe {
        libc::pipe(ends.as_mut_ptr());
        let (mut a, mut b) = (1_i64, 0_i64);
        asm!("syscall", inout("rax") a, in("rdi") ends[1], in("rsi") data.as_ptr(), in("rdx") data.len(), out("rcx") _, out("r11") _);
        asm!("syscall", inout("rax") b, in("rdi") ends[0], in("rsi") back.as_mut_ptr(), in("rdx") back.len(), out("rcx") _, out("r11") _);
        black_box((&mut a, &mut b));
        libc::close(ends[0]);
        libc::close(ends[1]);
    }
    back
}

/// A page of mapped memory.
pub struct Map(*mut u8);

impl Map {
    fn new(protection: c_int, flags: c_int, file: c_int) -> Map {
        // SAFETY: new memory, where there was none.
        let at = unsafe { libc::mmap(ptr::null_mut(), 4096, protection, flags, file, 0) };
        assert!(at != libc::MAP_FAILED, "there is memory");
        Map(at.cast())
    }

    /// That of a file.
    pub fn of(file: &File) -> Map {
        use std::os::fd::AsRawFd;
        Map::new(libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, file.as_raw_fd())
    }

    pub fn anonymous() -> Map {
        Map::new(libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)
    }

    pub fn code(bytes: &[u8]) -> Map {
        let it = Map::new(
            libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
        );
        bytes.iter().enumerate().for_each(|(n, byte)| it.put(n, *byte));
        it
    }

    pub fn at(&self) -> *const u8 {
        self.0
    }

    pub fn put(&self, n: usize, byte: u8) {
        assert!(n < 4096);
        // SAFETY: it is within the page.
        unsafe { self.0.add(n).write_volatile(byte) };
    }

    pub fn get(&self, n: usize) -> u8 {
        assert!(n < 4096);
        // SAFETY: it is within the page.
        unsafe { self.0.add(n).read_volatile() }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: it is ours.
        unsafe { libc::munmap(self.0.cast(), 4096) };
    }
}

extern "C" fn order(a: *const c_void, b: *const c_void) -> c_int {
    // SAFETY: numbers are sorted.
    let (a, b) = unsafe { (*a.cast::<u32>(), *b.cast::<u32>()) };
    c_int::from(a > b) - c_int::from(a < b)
}

pub fn sort(data: &mut [u32]) {
    // SAFETY: this many numbers are there.
    unsafe { libc::qsort(data.as_mut_ptr().cast(), data.len(), 4, Some(order)) };
}

pub fn contains(data: &[u32], what: u32) -> bool {
    let what = black_box(what);
    // SAFETY: this many numbers are there.
    let found =
        unsafe { libc::bsearch((&raw const what).cast(), data.as_ptr().cast(), data.len(), 4, Some(order)) };
    !found.is_null()
}

/// What `memcmp` gives, not only its sign.
pub fn compare(a: &[u8], b: &[u8]) -> i32 {
    // SAFETY: both are as long as the shorter one.
    unsafe { libc::memcmp(a.as_ptr().cast(), b.as_ptr().cast(), black_box(a.len().min(b.len()))) }
}

pub fn printed(x: u32) -> Vec<u8> {
    let mut text = [0_u8; 16];
    // SAFETY: there is room.
    let n = unsafe { libc::snprintf(text.as_mut_ptr().cast(), 16, c"%u".as_ptr(), x) };
    text[..n as usize].to_vec()
}

/// The number in a text that ends with a zero byte.
pub fn parsed(text: &[u8]) -> i64 {
    // SAFETY: it ends.
    unsafe { libc::strtol(text.as_ptr().cast(), ptr::null_mut(), 10) }
}

pub fn allocates(size: u64) -> bool {
    // SAFETY: what is allocated is freed.
    unsafe {
        let at = black_box(libc::malloc(black_box(size as usize)));
        libc::free(at);
        !at.is_null()
    }
}

pub fn allocates_many(n: u64, size: u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let at = black_box(libc::calloc(black_box(n as usize), black_box(size as usize)));
        libc::free(at);
        !at.is_null()
    }
}

pub fn grows(size: u64) -> bool {
    // SAFETY: as above; where it does not grow, what was there is still there.
    unsafe {
        let first = libc::malloc(16);
        let at = black_box(libc::realloc(first, black_box(size as usize + 1)));
        libc::free(if at.is_null() { first } else { at });
        !at.is_null()
    }
}

pub fn allocates_aligned(size: u64) -> bool {
    let mut at = ptr::null_mut();
    // SAFETY: as above.
    unsafe {
        let failed = libc::posix_memalign(&mut at, 64, black_box(size as usize));
        if failed == 0 {
            libc::free(at);
        }
        failed == 0
    }
}

unsafe extern "C" {
    fn pthread_once(control: *mut c_int, f: extern "C" fn()) -> c_int;
}

pub fn call_once(f: extern "C" fn()) {
    let mut control: c_int = 0;
    // SAFETY: nobody else has it.
    unsafe { pthread_once(&mut control, f) };
}

#[repr(align(64))]
struct Area([u8; 512]);

/// The number, by way of the registers that are saved together.
pub fn through_fxsave(x: u32) -> u32 {
    let mut area = Area([0; 512]);
    // SAFETY: the area is large enough, and aligned.
    unsafe {
        asm!("movd xmm5, {x:e}", "fxsave [{area}]", x = in(reg) x, area = in(reg) &raw mut area, out("xmm5") _);
    }
    // The first of 16 registers of 16 bytes is at 160.
    u32::from_le_bytes([0, 1, 2, 3].map(|it| area.0[160 + 5 * 16 + it]))
}
