import MediaCache

/// The articles' examples as compiled code. A test compares the text between `// snippet` and `// end` with the
/// articles.
enum DocumentationExamples {
    static func transform(_ location: CacheLocation) -> CacheConfiguration {
        // snippet transform
        let key: [UInt8] = [0x5A, 0xC3, 0x17, 0x88]
        var configuration = CacheConfiguration(location: location)
        configuration.transforms = [
            .inPlace("scrambled-1", kinds: [.file, .segment]) { bytes, offset in
                for index in bytes.indices {
                    bytes[index] ^= key[Int((offset + Int64(index)) % Int64(key.count))]
                }
            },
            .wholeBody("marked-1", kinds: [.playlist]) { body in body + Array("\n# cached\n".utf8) },
        ]
        // end
        return configuration
    }

    static func observe(_ location: CacheLocation, progress: @escaping @Sendable (String) -> Void) -> CacheConfiguration
    {
        // snippet observe
        var configuration = CacheConfiguration(location: location)
        configuration.observers = [
            ContentObserver(kinds: [.segment]) { bytes in
                progress("\(bytes.url): \(bytes.range), \(bytes.missed) bytes skipped before it")
            }
        ]
        // end
        return configuration
    }

    static func overview(_ folder: String, _ origin: any Origin, take: (ReadSession.Buffers.Element) -> Void)
        async throws
    {
        // snippet overview
        let store = try await CacheStore.open(
            CacheConfiguration(location: CacheLocation(folder: folder)), origin: origin)
        let film = try ResourceURL("https://example.org/film.mp4")

        let session = try await store.read(ReadRequest(url: film, range: .from(1 << 20)))
        for try await bytes in session.buffers {
            take(bytes)
        }

        await store.close()
        // end
    }

    static func dropQueryItems(_ location: CacheLocation) -> CacheConfiguration {
        // snippet dropping
        var configuration = CacheConfiguration(location: location)
        configuration.keyPolicy = .dropping(queryItems: ["token", "expires", "signature"])
        // end
        return configuration
    }

    static func joinMirrors(_ location: CacheLocation) -> CacheConfiguration {
        // snippet mirrors
        var configuration = CacheConfiguration(location: location)
        // Mirrors of one archive, edge-1.example.org to edge-9.example.org.
        configuration.keyPolicy = CacheKeyPolicy { url in
            url.host.hasSuffix(".example.org") ? "archive:\(url.path)" : url.description
        }
        // end
        return configuration
    }
}
