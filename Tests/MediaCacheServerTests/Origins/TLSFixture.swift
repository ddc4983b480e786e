/// A certificate for `localhost` and 127.0.0.1, and the authority that signed it, valid until 2120. The key isn't
/// secret.
enum TLSFixture {
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBVTCB+6ADAgECAgEBMAoGCCqGSM49BAMCMBkxFzAVBgNVBAMMDlRlc3QgYXV0
        aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAZMRcwFQYD
        VQQDDA5UZXN0IGF1dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJop
        +U07qBezENgmEIzkQfKsjFDiafx5ED2RfZQOd18KR/V8TQ9/GnjrJyBGrTpyv6Qt
        rGuv7vqGi5ZhKHpfzx2jMjAwMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFC08
        bsm0PtlBlA3lTdfYiIQ1AdltMAoGCCqGSM49BAMCA0kAMEYCIQCrO+ia07oJXqI2
        KxF20Ufw11lTorVGEGhycL3YjOEFhwIhAPME7ExSW4J6dIkHIw/MSjSsCfj1O0y8
        o7tQj6NOix91
        -----END CERTIFICATE-----
        """

    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBnDCCAUKgAwIBAgIBAjAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5UZXN0IGF1
        dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAG
        A1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE93pIpt+5
        K4Vi7EFfURKFlpvwPD1MROTEac0p5ZzEES5Ry1o6cZ17L0He1EvKH4iMSBzMPn+9
        mebTVXw4pCId2aN+MHwwGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAkGA1Ud
        EwQCMAAwEwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYEFBOc7Xw5k7ky9+nX
        vl3iEwyt0nTNMB8GA1UdIwQYMBaAFC08bsm0PtlBlA3lTdfYiIQ1AdltMAoGCCqG
        SM49BAMCA0gAMEUCIAnof1xeSqRwRI+d26CWF1Kvg3iGM4LI8WdZJwg8cRknAiEA
        jh2vj1FaiLa+qkPj4eMRifJVHXplloHoJgDiXCZhoV0=
        -----END CERTIFICATE-----
        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1kpVrDV+zlwVc/rA
        2wT5669YkfIVM/HJjuIklR5mHxyhRANCAAT3ekim37krhWLsQV9REoWWm/A8PUxE
        5MRpzSnlnMQRLlHLWjpxnXsvQd7US8ofiIxIHMw+f72Z5tNVfDikIh3Z
        -----END PRIVATE KEY-----
        """
}
