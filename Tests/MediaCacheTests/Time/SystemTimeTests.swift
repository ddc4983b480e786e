import MediaCache
import Testing

struct SystemTimeTests {
    /// If another test has already used the clock, this isn't its first value.
    @Test func firstMonotonicTimeIsNotNegative() {
        #expect(SystemTime().monotonic >= .zero)
    }
}
