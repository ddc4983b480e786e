package import MediaCache

extension TransferSettings {
    /// How much longer than others an origin may take that was asked for what isn't there yet: three target durations
    /// (RFC 8216bis §6.2.5.2), of 20 s.
    private static let holdTime = Duration.seconds(60)

    /// These settings for a request that the origin holds until there is an answer: a blocking reload, a preload hint.
    package var waitingForWhatComes: TransferSettings {
        var settings = self
        settings.waitsForOrigin = true
        settings.limits.firstByte += Self.holdTime
        settings.limits.stall += Self.holdTime
        return settings
    }
}
