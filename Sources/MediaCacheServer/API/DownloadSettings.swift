public import MediaLibrary

/// How many downloads run, and under which conditions: `GET`, `PUT` and `PATCH /api/v1/settings/downloads`.
public struct DownloadSettings: Codable, Sendable, Hashable {
    /// How many run at once.
    public var limits: DownloadLimits
    /// Under which conditions they run.
    public var policy: DownloadPolicy
    /// Bytes a second that they may take in all; null for no limit.
    public var bandwidth: Int64?

    /// Creates settings.
    public init(
        limits: DownloadLimits = DownloadLimits(), policy: DownloadPolicy = DownloadPolicy(), bandwidth: Int64? = nil
    ) {
        self.limits = limits
        self.policy = policy
        self.bandwidth = bandwidth
    }
}
