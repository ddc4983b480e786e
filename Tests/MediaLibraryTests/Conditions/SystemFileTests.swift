#if os(Linux)
    import MediaLibrary
    import Testing

    struct SystemFileTests {
        @Test func readsFileLongerThanOnePart() throws {
            let text = try #require(SystemFile.text("/proc/self/maps"))
            #expect(text.utf8.count > 8192)
            #expect(text.contains("[stack]"))
        }

        @Test func returnsNilForMissingFile() {
            #expect(SystemFile.text("/proc/self/none") == nil)
        }
    }
#endif
