// Other systems, and the stubs of `make check-apple`, provide Network.
#if os(Linux) && !canImport(Network)
    import Foundation
    import MediaLibrary
    import Testing

    struct SystemConditionsTests {
        /// Downloads request the current conditions in their actor, which must not wait for a slow driver.
        @Test func currentConditionsAreThoseOfLastReading() async throws {
            let root = FileManager.default.temporaryDirectory.path + "/mediacache-\(UUID().uuidString)"
            let folder = root + "/sys/firmware/acpi"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: root) }
            func setProfile(_ name: String) throws {
                try Data("\(name)\n".utf8).write(to: URL(fileURLWithPath: folder + "/platform_profile"))
            }
            try setProfile("low-power")
            let conditions = SystemConditions(root: root)
            try setProfile("balanced")
            #expect(conditions.current.isLowPower)
            var changes = conditions.changes().makeAsyncIterator()
            let change = await changes.next()
            #expect(change?.isLowPower == false)
            #expect(!conditions.current.isLowPower)
        }
    }
#endif
