/// What becomes of a resource's bytes once they have been read.
public enum Admission: Sendable, Hashable {
    /// They stay until evicted.
    case keep
    /// They stay while someone reads, and are given up when the last reader leaves.
    case keepUntilClosed
    /// They are not written at all.
    case passThrough
}

/// Decides which resources are kept, when their head is known.
public struct AdmissionPolicy: Sendable {
    private let decide: @Sendable (ResourceURL, ResourceHead) -> Admission

    /// A policy of the caller's.
    public init(_ decide: @escaping @Sendable (ResourceURL, ResourceHead) -> Admission) {
        self.decide = decide
    }

    /// Everything is kept.
    public static let keepAll = AdmissionPolicy { _, _ in .keep }

    /// Everything up to a length in bytes is kept; what is longer passes through.
    public static func maximumLength(_ bytes: Int64) -> AdmissionPolicy {
        AdmissionPolicy { _, head in
            if let length = head.length, length > bytes { .passThrough } else { .keep }
        }
    }

    /// The decision for one resource.
    public func admission(of url: ResourceURL, head: ResourceHead) -> Admission {
        decide(url, head)
    }
}
