/// What the streams of one programme share: the line of time on which their stamps lie.
final class ProgramClock {
    private var unwrapper = TimestampUnwrapper()

    func unwrap(_ value: Int64) -> Int64 { unwrapper.unwrap(value) }

    func reset() { unwrapper.reset() }
}
