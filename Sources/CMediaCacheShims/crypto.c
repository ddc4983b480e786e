#include "CMediaCacheShims.h"

#ifdef __APPLE__

#include <CommonCrypto/CommonCrypto.h>

void mc_sha256(const void *bytes, size_t count, uint8_t *digest) { CC_SHA256(bytes, (CC_LONG)count, digest); }

void mc_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count, uint8_t *code) {
    CCHmac(kCCHmacAlgSHA256, key, key_count, bytes, count, code);
}

int mc_aes(mc_aes_mode mode, int encrypts, const uint8_t *key, size_t key_count, const uint8_t *vector,
           const uint8_t *input, size_t count, uint8_t *output) {
    CCCryptorRef cryptor = NULL;
    size_t moved = 0;
    if (CCCryptorCreateWithMode(encrypts ? kCCEncrypt : kCCDecrypt, mode == mc_aes_ctr ? kCCModeCTR : kCCModeCBC,
                                kCCAlgorithmAES, ccNoPadding, vector, key, key_count, NULL, 0, 0, 0,
                                &cryptor) != kCCSuccess)
        return 0;
    CCCryptorStatus status = CCCryptorUpdate(cryptor, input, count, output, count, &moved);
    CCCryptorRelease(cryptor);
    return status == kCCSuccess && moved == count;
}

#else

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

void mc_sha256(const void *bytes, size_t count, uint8_t *digest) { SHA256(bytes, count, digest); }

void mc_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count, uint8_t *code) {
    HMAC(EVP_sha256(), key, (int)key_count, bytes, count, code, NULL);
}

static const EVP_CIPHER *cipher(mc_aes_mode mode, size_t key_count) {
    if (mode == mc_aes_ctr) return key_count == 16 ? EVP_aes_128_ctr() : key_count == 32 ? EVP_aes_256_ctr() : NULL;
    return key_count == 16 ? EVP_aes_128_cbc() : key_count == 32 ? EVP_aes_256_cbc() : NULL;
}

int mc_aes(mc_aes_mode mode, int encrypts, const uint8_t *key, size_t key_count, const uint8_t *vector,
           const uint8_t *input, size_t count, uint8_t *output) {
    const EVP_CIPHER *algorithm = cipher(mode, key_count);
    if (algorithm == NULL || count > INT_MAX) return 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context == NULL) return 0;
    int moved = 0;
    int succeeded = EVP_CipherInit_ex(context, algorithm, NULL, key, vector, encrypts) == 1 &&
                    EVP_CIPHER_CTX_set_padding(context, 0) == 1 &&
                    EVP_CipherUpdate(context, output, &moved, input, (int)count) == 1 && (size_t)moved == count;
    EVP_CIPHER_CTX_free(context);
    return succeeded;
}

#endif
