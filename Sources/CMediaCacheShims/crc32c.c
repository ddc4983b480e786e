#include "CMediaCacheShims.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <stdbool.h>
#if defined(__APPLE__)
#include <stdatomic.h>
#include <sys/sysctl.h>
#else
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
#endif

// The polynomial, bit-reflected.
#define POLYNOMIAL 0x82F63B78u

static uint32_t software(uint32_t crc, const uint8_t *bytes, size_t count) {
    while (count--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (POLYNOMIAL & (0u - (crc & 1)));
    }
    return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t hardware(uint32_t crc, const uint8_t *bytes, size_t count) {
    uint64_t wide = crc;
    while (count >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        wide = _mm_crc32_u64(wide, word);
        bytes += 8, count -= 8;
    }
    crc = (uint32_t)wide;
    while (count--) crc = _mm_crc32_u8(crc, *bytes++);
    return crc;
}
#elif defined(__aarch64__)
__attribute__((target("crc"))) static uint32_t hardware(uint32_t crc, const uint8_t *bytes, size_t count) {
    while (count >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        crc = __crc32cd(crc, word);
        bytes += 8, count -= 8;
    }
    while (count--) crc = __crc32cb(crc, *bytes++);
    return crc;
}

// Returns whether the processor has CRC instructions. They are optional in ARMv8.0; Apple's A7 to A9 lack them.
static bool has_instruction(void) {
#if defined(__APPLE__)
    // 1 if the processor has the instructions, 2 if it doesn't, 0 before the first call.
    static _Atomic int known = 0;
    int result = atomic_load_explicit(&known, memory_order_relaxed);
    if (result == 0) {
        int value = 0;
        size_t size = sizeof value;
        result = sysctlbyname("hw.optional.armv8_crc32", &value, &size, NULL, 0) == 0 && value == 1 ? 1 : 2;
        atomic_store_explicit(&known, result, memory_order_relaxed);
    }
    return result == 1;
#else
    return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#endif
}
#endif

uint32_t mc_crc32c(uint32_t crc, const void *bytes, size_t count) {
    crc = ~crc;
#if defined(__x86_64__)
    crc = __builtin_cpu_supports("sse4.2") ? hardware(crc, bytes, count) : software(crc, bytes, count);
#elif defined(__aarch64__)
    crc = has_instruction() ? hardware(crc, bytes, count) : software(crc, bytes, count);
#else
    crc = software(crc, bytes, count);
#endif
    return ~crc;
}

// Returns the product of two bit-reflected polynomials modulo the CRC polynomial.
static uint32_t multiply(uint32_t a, uint32_t b) {
    uint32_t product = 0;
    for (uint32_t bit = 0x80000000u; bit != 0; bit >>= 1) {
        if (a & bit) product ^= b;
        b = (b >> 1) ^ (POLYNOMIAL & (0u - (b & 1)));
    }
    return product;
}

uint32_t mc_crc32c_combine(uint32_t first, uint32_t second, uint64_t second_count) {
    // Appending n zero bytes multiplies by x^(8n): square and multiply over the bits of n, starting from x^8.
    uint32_t power = 0x00800000u;
    uint32_t shift = 0x80000000u;
    for (; second_count != 0; second_count >>= 1) {
        if (second_count & 1) shift = multiply(shift, power);
        power = multiply(power, power);
    }
    return multiply(shift, first) ^ second;
}
