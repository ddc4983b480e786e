/// What the streams of one programme share: the line of time on which their stamps lie.
final class ProgramClock {
    private var unwrapper: TimestampUnwrapper

    /// A clock whose first value is the one nearest to a time; nil begins at the first value.
    init(after time: Int64? = nil) { unwrapper = TimestampUnwrapper(after: time) }

    func unwrap(_ value: Int64) -> Int64 { unwrapper.unwrap(value) }

    func reset() { unwrapper.reset() }
}
