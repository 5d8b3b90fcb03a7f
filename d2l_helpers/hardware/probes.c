/* The loops behind probes.py. Every argument is a long (addresses too), every result a double, and one
   below 0 says what went wrong: native.py has the words.
   Nothing here asks for one processor's instructions at compile time: the wide loops carry their
   own target attribute and run only where the processor says that it has them. -DPLAIN leaves out
   the instructions that an old compiler does not know. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { NO_THREAD = -1, NOBODY_CAME = -2, MISCOUNTED = -3, NO_MEMORY = -4, NO_LOOPBACK = -5, LOST = -6 };
enum { GO_HOME = -1000000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
#define KEEP(x) __asm__ volatile("" : : "r"(x) : "memory")
/* The best of `reps` runs of a block, in seconds: what the hardware can do when nobody interrupts. */
#define BEST(reps, best, ...) \
    double best = 1e30; \
    for (long rep_ = 0; rep_ < (reps); rep_++) { \
        double t_ = now(); \
        __VA_ARGS__; \
        t_ = now() - t_; \
        if (t_ < best) best = t_; \
    }

/* --- memory: huge 1 asks for large pages, 0 for small ones; 2 MiB aligned, every page touched */

#define ALIGN (2L << 20)
double grab(long bytes, long huge) { /* the address fits a double: user space has 47 bits */
    char *raw = mmap(0, bytes + ALIGN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (raw == MAP_FAILED) return NO_MEMORY;
    char *base = (char *)(((uintptr_t)raw + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
    if (base > raw) munmap(raw, base - raw);
    munmap(base + bytes, raw + ALIGN - base);
#ifdef MADV_HUGEPAGE
    madvise(base, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
    memset(base, 0, bytes);
    return (double)(uintptr_t)base;
}
double release(long base, long bytes) { munmap((void *)base, bytes); return 0; }

/* --- latency: a ring of pointers in random order (Sattolo's shuffle: one cycle through all) */

static uint64_t seed = 88172645463325252ull;
static uint64_t rnd(void) { seed ^= seed << 13; seed ^= seed >> 7; return seed ^= seed << 17; }

/* spread 1: the line within each block of `stride` bytes moves on with every block, and once more after 64 of them, so
   that all cache sets are used alike. group > 1: all of a group before the next one. */
static char *ring(char *base, long n, long stride, long spread, long group) {
    uint32_t *at = malloc(n * sizeof *at), *in = malloc(group * sizeof *in);
    if (!at || !in) return free(at), free(in), NULL;
#define SHUFFLE(a, m) \
    for (long i = 0; i < (m); i++) (a)[i] = i; \
    for (long i = (m) - 1; i > 0; i--) { long j = rnd() % i; uint32_t t = (a)[i]; (a)[i] = (a)[j]; (a)[j] = t; }
#define PLACE(i) (base + (long)(i) * stride + (spread ? ((long)(i) + (long)(i) / 64) * 64 % stride : 0))
    long groups = n / group;
    SHUFFLE(at, groups) /* one cycle through all groups: at[g] follows g */
    char **last = 0, *first = 0;
    for (long g = 0, done = 0; done < groups; done++, g = at[g]) {
        SHUFFLE(in, group)
        for (long k = 0; k < group; k++) {
            char *here = PLACE(g * group + in[k]);
            if (last) *last = here; else first = here;
            last = (char **)here;
        }
    }
    *last = first;
    free(at), free(in);
    return first;
}
/* Nanoseconds a step: each address comes out of the load before, so no two can overlap. */
double chase(long base, long n, long stride, long spread, long group, long steps, long reps) {
    char *p = ring((char *)base, n, stride, spread, group);
    if (!p) return NO_MEMORY;
    for (long i = 0; i < n; i++) p = *(char **)p;
    BEST(reps, best, for (long i = 0; i < steps; i++) p = *(char **)p; KEEP(p));
    return best / steps * 1e9;
}
/* Nanoseconds an addition of two registers, each waiting for the one before: one cycle on today's cores. */
double tick(long n, long reps) {
    uint64_t x = 1, y = 3;
#define ADD __asm__ volatile("" : "+r"(x), "+r"(y)); x += y;
    BEST(reps, best, for (long i = 0; i < n; i += 8) { ADD ADD ADD ADD ADD ADD ADD ADD } KEEP(x));
    return best / n * 1e9;
}
/* Each step jumps to a random block of 1 KiB and reads `lines` of its cache lines. */
double burst(long base, long blocks, long lines, long steps, long reps) {
    char *p = ring((char *)base, blocks, 1024, 0, 1);
    if (!p) return NO_MEMORY;
    BEST(reps, best, for (long i = 0; i < steps; i++) {
        uint64_t zero = 0;
        for (long k = 0; k < lines; k++) zero += *(volatile uint64_t *)(p + 64 * k + 8);
        p = *(char **)(p + zero);
    } KEEP(p));
    return best / steps * 1e9;
}

/* --- order: kind 0 forward, 1 backward, 2 random but independent; 8-byte loads over 2^bits words */

double walk(long base, long bits, long stride, long kind, long count, long reps) {
    const volatile uint64_t *x = (void *)base;
    long n = 1L << bits, step = stride < 8 ? stride : 8;
    uint64_t sum = 0;
    BEST(reps, best,
        long left = count;
        if (kind == 2) for (uint64_t i = 1; left-- > 0; i++) sum += x[(i * 0x9E3779B97F4A7C15ull) >> (64 - bits)];
        while (left > 0) for (long s = 0; s < stride && left > 0; s += step) {
            long m = (n - s + stride - 1) / stride;
            if (m > left) m = left;
            left -= m;
            if (kind == 0) for (const volatile uint64_t *p = x + s; m-- > 0; p += stride) sum += *p;
            else for (const volatile uint64_t *p = x + n - 1 - s; m-- > 0; p -= stride) sum += *p;
        }
        KEEP(sum));
    return best / count * 1e9;
}
/* `n` loads of 8 bytes at base + offset, + stride, …, `rounds` times: nanoseconds a load. */
double offset_loads(long base, long offset, long stride, long n, long rounds, long reps) {
    uint64_t a, b, c, d; /* four loads a turn: the loop's own work must not hide them */
    BEST(reps, best, for (long r = 0; r < rounds; r++) {
        char *p = (char *)base + offset;
        for (long i = 0; i < n; i += 4, p += 4 * stride) {
            memcpy(&a, p, 8), memcpy(&b, p + stride, 8), memcpy(&c, p + 2 * stride, 8), memcpy(&d, p + 3 * stride, 8);
            __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
        }
        KEEP(p);
    });
    return best / rounds / n * 1e9;
}
/* The statement inside the `if` cannot be speculated by the compiler, so the branch stays a branch. */
double branchy(long base, long n, long rounds, long reps) {
    const unsigned char *x = (void *)base;
    long count = 0;
    BEST(reps, best, for (long r = 0; r < rounds; r++)
        for (long i = 0; i < n; i++)
            if (x[i] >= 128) { __asm__ volatile("" : "+r"(count)); count++; });
    return rounds && count * 1.0 / rounds / reps == n / 2 ? best / rounds / n * 1e9 : MISCOUNTED;
}

/* --- threads: each on a core of its own where the system lets us choose */

typedef struct {
    long kind, bytes, core, passes;
    char *base;
    double seconds; /* what the thread measured; below 0, why it did not */
    void (*loop)(long);
    volatile int *go; /* so many are not there yet; below 0: go home */
} job;
static double patience = 30; /* seconds that a thread waits for another one */

static void pin(long core) {
#ifdef __linux__
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all)) return;
    core %= CPU_COUNT(&all);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all) && core-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(i, &one);
            pthread_setaffinity_np(pthread_self(), sizeof one, &one);
            return;
        }
#else
    (void)core;
#endif
}
/* Wait for the others, and give the core away where it is shared. 0 where not all of them came. */
static int meet(volatile int *go) {
    double late = now() + patience;
    __sync_sub_and_fetch(go, 1);
    while (*go > 0) {
        if (now() > late) *go = GO_HOME;
        sched_yield();
    }
    return *go == 0;
}
/* Each job in a thread of its own, all started together: 0 when all are done, or what went wrong. */
static double together(long threads, void *(*work)(void *), job *jobs) {
    pthread_t t[threads];
    volatile int go = threads;
    double wrong = 0;
    long started = 0;
    for (; started < threads; started++) {
        jobs[started].go = &go;
        if (pthread_create(&t[started], 0, work, &jobs[started])) {
            wrong = NO_THREAD, go = GO_HOME;
            break;
        }
    }
    for (long i = 0; i < started; i++) {
        pthread_join(t[i], 0);
        if (!wrong && jobs[i].seconds < 0) wrong = jobs[i].seconds;
    }
    return wrong;
}

typedef uint64_t wide __attribute__((vector_size(64)));
#define KERNELS(NAME, TARGET) \
    TARGET static void read_##NAME(char *b, long n) { \
        wide s0 = {0}, s1 = s0, s2 = s0, s3 = s0; \
        for (char *p = b; p < b + n; p += 256) { \
            s0 += *(wide *)p; s1 += *(wide *)(p + 64); s2 += *(wide *)(p + 128); s3 += *(wide *)(p + 192); \
        } \
        s0 += s1 + s2 + s3; \
        KEEP(&s0); \
    } \
    TARGET static void write_##NAME(char *b, long n) { \
        wide s = {0}; \
        KEEP(&s); \
        for (char *p = b; p < b + n; p += 64) *(wide *)p = s; \
        KEEP(b); \
    } \
    TARGET static void update_##NAME(char *b, long n) { \
        wide s = {1}; \
        KEEP(&s); \
        for (char *p = b; p < b + n; p += 64) *(wide *)p ^= s; \
        KEEP(b); \
    } \
    TARGET static void copy_##NAME(char *b, long n) { \
        char *to = b + n / 2; \
        for (long i = 0; i < n / 2; i += 64) { *(wide *)(to + i) = *(wide *)(b + i); KEEP(to); } \
    }
KERNELS(base, )
#if defined(__x86_64__)
KERNELS(avx2, __attribute__((target("avx2"))))
KERNELS(avx512, __attribute__((target("avx512f"))))
#define HAS(feature) __builtin_cpu_supports(feature)
#define PICK(what) (HAS("avx512f") ? what##_avx512 : HAS("avx2") ? what##_avx2 : what##_base)
#include <immintrin.h>
static void stream(char *b, long n) { /* stores that go past the caches */
    for (char *p = b; p < b + n; p += 16) _mm_stream_si128((__m128i *)p, _mm_setzero_si128());
    _mm_sfence();
}
#else
#define PICK(what) what##_base
static void (*const stream)(char *, long) = 0;
#endif
static void library_copy(char *b, long n) { memcpy(b + n / 2, b, n / 2); KEEP(b); }

static void *mover(void *argument) {
    job *j = argument;
    pin(j->core);
    void (*f)(char *, long) = j->kind == 0 ? PICK(read) : j->kind == 1 ? PICK(write)
                            : j->kind == 2 ? PICK(copy) : j->kind == 3 ? library_copy : j->kind == 4 ? PICK(update) : stream;
    f(j->base, j->bytes);
    if (!meet(j->go)) return j->seconds = NOBODY_CAME, NULL;
    double start = now(), end = start + j->seconds;
    do {
        long inner = 1 + (1 << 20) / j->bytes;
        for (long i = 0; i < inner; i++) f(j->base, j->bytes);
        j->passes += inner;
    } while (now() < end);
    j->seconds = now() - start;
    return 0;
}
/* Bytes a second of all threads, each with `bytes` of its own; a copy counts what it reads and writes, an update
   each byte once. 0 where the processor has no stores that stream. */
double bandwidth(long base, long bytes, long kind, long threads, long microseconds) {
    job j[threads];
    if (kind == 5 && !stream) return 0;
    for (long i = 0; i < threads; i++)
        j[i] = (job){.kind = kind, .bytes = bytes, .core = i, .base = (char *)base + i * bytes, .seconds = microseconds * 1e-6};
    double sum = together(threads, mover, j);
    for (long i = 0; i < threads && sum >= 0; i++) sum += j[i].passes * (double)bytes / j[i].seconds;
    return sum;
}
static void *counter(void *argument) {
    job *j = argument;
    pin(j->core);
    volatile uint64_t *mine = (void *)j->base;
    if (!meet(j->go)) return j->seconds = NOBODY_CAME, NULL;
    double start = now();
    for (long left = j->passes; left > 0; left--) *mine += 1; /* the word is all that the loop reads */
    j->seconds = now() - start;
    return 0;
}
/* Nanoseconds an increment: each thread counts to n in its own word, `distance` bytes apart. */
double share(long base, long distance, long n, long threads) {
    job j[threads];
    for (long i = 0; i < threads; i++) {
        j[i] = (job){.core = i, .passes = n, .base = (char *)base + i * distance};
        *(volatile uint64_t *)j[i].base = 0;
    }
    double slowest = together(threads, counter, j);
    if (slowest < 0) return slowest;
    for (long i = 0; i < threads; i++) {
        if (*(volatile uint64_t *)j[i].base != (uint64_t)n) return MISCOUNTED;
        if (j[i].seconds > slowest) slowest = j[i].seconds;
    }
    return slowest / n * 1e9;
}
/* Nanoseconds a trip: two threads pass one cache line to and fro, `n` times each way. */
static void *player(void *argument) {
    job *j = argument;
    pin(j->core);
    volatile uint64_t *ball = (void *)j->base;
    if (!meet(j->go)) return j->seconds = NOBODY_CAME, NULL;
    double start = now();
    for (uint64_t turn = j->kind; turn < (uint64_t)j->passes * 2; turn += 2) {
        for (long polls = 1; *ball != turn; polls++) if (polls % 4096 == 0) {
            if (now() > start + patience) return j->seconds = NOBODY_CAME, NULL;
            sched_yield();
        }
        *ball = turn + 1;
    }
    j->seconds = now() - start;
    return 0;
}
double bounce(long base, long n, long other) {
    job j[2] = {{.kind = 0, .core = 0, .passes = n, .base = (char *)base},
                {.kind = 1, .core = other, .passes = n, .base = (char *)base}};
    *(volatile uint64_t *)base = 0;
    double wrong = together(2, player, j);
    return wrong < 0 ? wrong : j[0].seconds / n / 2 * 1e9;
}
/* Nanoseconds to lock a mutex and unlock it while nobody else wants it. In a thread: with only one, the C
   library may leave out the atomic instructions. */
static void *locker(void *argument) {
    job *j = argument;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    BEST(j->kind, best, for (long i = 0; i < j->passes; i++) pthread_mutex_lock(&m), pthread_mutex_unlock(&m));
    j->seconds = best;
    return 0;
}
double mutex(long n, long reps) {
    job j = {.kind = reps, .passes = n};
    double wrong = together(1, locker, &j);
    return wrong < 0 ? wrong : j.seconds / n * 1e9;
}

/* --- arithmetic: twelve independent chains, so that none waits for its own result */

#define TWELVE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define CHAINS(NAME, V, TARGET, STEP) \
    TARGET static void NAME(long n) { \
        V x, y, s[12]; /* filled where the compiler cannot see it: equal chains would be merged into one */ \
        memset(&x, 0, sizeof x), memset(&y, 0, sizeof y), memset(s, 0, sizeof s); \
        __asm__ volatile("" : : "r"(&x), "r"(&y), "r"(s) : "memory"); \
        V a0 = s[0], a1 = s[1], a2 = s[2], a3 = s[3], a4 = s[4], a5 = s[5]; \
        V a6 = s[6], a7 = s[7], a8 = s[8], a9 = s[9], a10 = s[10], a11 = s[11]; \
        const V u = x, v = y; \
        for (long i = 0; i < n; i++) { TWELVE(STEP) } \
        V out[12] = {a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11}; \
        KEEP(out); \
    }
#define FMA(k) a##k = a##k * u + v;
typedef double d128 __attribute__((vector_size(16)));
typedef float f128 __attribute__((vector_size(16)));
#if defined(__x86_64__)
typedef double d256 __attribute__((vector_size(32))), d512 __attribute__((vector_size(64)));
typedef float f256 __attribute__((vector_size(32))), f512 __attribute__((vector_size(64)));
#define T2 __attribute__((target("avx2,fma")))
#define T5 __attribute__((target("avx512f")))
CHAINS(f64_s, double, T2, FMA) CHAINS(f64_128, d128, T2, FMA) CHAINS(f64_256, d256, T2, FMA) CHAINS(f64_512, d512, T5, FMA)
CHAINS(f32_s, float, T2, FMA) CHAINS(f32_128, f128, T2, FMA) CHAINS(f32_256, f256, T2, FMA) CHAINS(f32_512, f512, T5, FMA)
#ifndef PLAIN
#define DOT8(k) a##k = _mm512_dpbusd_epi32(a##k, u, v);
#define DOT16(k) a##k = _mm512_dpbf16_ps(a##k, (__m512bh)u, (__m512bh)v);
CHAINS(i8_512, __m512i, __attribute__((target("avx512f,avx512vnni"))), DOT8)
CHAINS(bf16_512, __m512, __attribute__((target("avx512f,avx512bf16"))), DOT16)
#endif
#endif
CHAINS(f64_b, double, , FMA) CHAINS(f64_b128, d128, , FMA) CHAINS(f32_b, float, , FMA) CHAINS(f32_b128, f128, , FMA)

static void *multiplier(void *argument) {
    job *j = argument;
    pin(j->core);
    if (!meet(j->go)) return j->seconds = NOBODY_CAME, NULL;
    j->loop(j->passes);
    BEST(j->kind, best, j->loop(j->passes));
    j->seconds = best;
    return 0;
}
/* Operations a second; dtype 0 float64, 1 float32, 2 bfloat16, 3 int8; bits 0 for scalars. 0 where the processor
   (or the compiler) has no such instruction. One thread stays where it is; several have a core each. */
double flops(long dtype, long bits, long iterations, long reps, long threads) {
    void (*f)(long) = 0;
    double lanes = bits ? bits / (dtype ? 32 : 64) : 1;
    if (bits <= 128 && dtype < 2) f = dtype ? (bits ? f32_b128 : f32_b) : (bits ? f64_b128 : f64_b);
#if defined(__x86_64__)
    if (HAS("avx2") && HAS("fma") && dtype < 2 && bits <= 256)
        f = dtype ? (bits == 256 ? f32_256 : bits ? f32_128 : f32_s) : (bits == 256 ? f64_256 : bits ? f64_128 : f64_s);
    if (HAS("avx512f") && dtype < 2 && bits == 512) f = dtype ? f32_512 : f64_512;
#ifndef PLAIN
    if (dtype == 2 && bits == 512 && HAS("avx512bf16")) f = bf16_512, lanes = 32;
    if (dtype == 3 && bits == 512 && HAS("avx512vnni")) f = i8_512, lanes = 64;
#endif
#endif
    if (!f) return 0;
    if (threads == 1) {
        f(iterations);
        BEST(reps, best, f(iterations));
        return 24 * lanes * iterations / best;
    }
    job j[threads];
    for (long i = 0; i < threads; i++) j[i] = (job){.kind = reps, .core = i, .passes = iterations, .loop = f};
    double sum = together(threads, multiplier, j);
    for (long i = 0; i < threads && sum >= 0; i++) sum += 24 * lanes * iterations / j[i].seconds;
    return sum;
}

/* --- loopback: `count` messages of `size` bytes one way; one byte comes back after every `window` */

typedef struct { int udp, fd; long size, count, window, got; } peer;
static long take(peer *p, char *buffer, long size) { /* a whole message; a datagram comes in one piece */
    long got = 0;
    do {
        long n = recv(p->fd, buffer, size - got, 0);
        if (n <= 0) return got;
        got += n;
    } while (!p->udp && got < size);
    return got;
}
static void *receiver(void *argument) {
    peer *p = argument;
    char *buffer = malloc(p->size), back = 1;
    for (long i = 1; buffer && i <= p->count; i++) {
        long n = take(p, buffer, p->size);
        p->got += n;
        if (n <= 0 || (i % p->window == 0 && send(p->fd, &back, 1, 0) < 1)) break;
    }
    free(buffer);
    return 0;
}
static int endpoint(int udp, struct sockaddr_in *a) {
    int fd = socket(AF_INET, udp ? SOCK_DGRAM : SOCK_STREAM, 0), one = 1;
    socklen_t n = sizeof *a;
    struct timeval limit = {2, 0}; /* a lost datagram ends the probe, it does not hang it */
    *a = (struct sockaddr_in){.sin_family = AF_INET};
    a->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0) return -1;
    if (bind(fd, (void *)a, n) || getsockname(fd, (void *)a, &n)) return close(fd), -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &one, sizeof one);
    return fd;
}
/* Seconds for all messages. */
static double converse(long udp, long size, long count, long window, int x, int y) {
    peer p = {udp, y, size, count, window, 0};
    char *message = calloc(size, 1), back;
    pthread_t t;
    long bad = 0;
    if (!message) return NO_MEMORY;
    if (pthread_create(&t, 0, receiver, &p)) return free(message), NO_THREAD;
    double start = now();
    for (long i = 1; i <= count && !bad; i++) {
        for (long sent = 0, n; sent < size && !bad; sent += n) bad = (n = send(x, message + sent, size - sent, 0)) <= 0;
        if (i % window == 0) bad |= recv(x, &back, 1, 0) != 1;
    }
    double seconds = now() - start;
    if (bad) shutdown(y, SHUT_RDWR), shutdown(x, SHUT_RDWR);
    pthread_join(t, 0);
    free(message);
    return bad || p.got != size * count ? LOST : seconds;
}
double loopback(long udp, long size, long count, long window) {
    struct sockaddr_in a, b;
    int x = endpoint(udp, &a), y = endpoint(udp, &b), z = -1, one = 1;
    double found = NO_LOOPBACK;
    if (x >= 0 && y >= 0) {
        if (udp) {
            if (!connect(x, (void *)&b, sizeof b) && !connect(y, (void *)&a, sizeof a))
                found = converse(udp, size, count, window, x, y);
        } else if (!listen(y, 1) && !connect(x, (void *)&b, sizeof b) && (z = accept(y, 0, 0)) >= 0) {
            setsockopt(z, IPPROTO_TCP, 1 /* TCP_NODELAY */, &one, sizeof one);
            found = converse(udp, size, count, window, x, z);
        }
    }
    if (x >= 0) close(x);
    if (y >= 0) close(y);
    if (z >= 0) close(z);
    return found;
}
