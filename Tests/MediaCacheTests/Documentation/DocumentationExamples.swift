import MediaCache

/// The code of the articles' examples, compiled. What stands between `// snippet` and `// end` is in the catalog too, and
/// a test compares them.
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
            .wholeBody("marked-1", kinds: [.playlist]) { body in body + Array("\n# kept here\n".utf8) },
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
                progress("\(bytes.url): \(bytes.range), \(bytes.missed) bytes not seen before it")
            }
        ]
        // end
        return configuration
    }
}
