/// A caller's change to what comes from origins, before it's kept: a cipher at rest, a watermark, a rewritten playlist.
///
/// What is kept, read, checked and compared is what the transform made. Its name is part of the representation: what was
/// kept under another name, or none, isn't served under this one, but fetched again. So give a transform that does
/// something else another name. Where several are configured for a kind, the first counts.
///
/// A transform gives the same bytes for the same bytes at the same place, each time: where no strong validator tells
/// versions apart, bytes of a later response are compared with kept ones after both have been transformed. It's called
/// on any thread, for several places at once, and holds up what it's called for.
public struct ContentTransform: Sendable {
    enum Function: Sendable {
        case inPlace(@Sendable (UnsafeMutableRawBufferPointer, Int64) throws -> Void)
        case wholeBody(@Sendable ([UInt8]) throws -> [UInt8])
    }

    /// What tells it from others, across openings.
    public let name: String
    /// What it applies to.
    public let kinds: Set<ResourceKind>
    let function: Function

    /// A transform that keeps the length, and needs nothing but the bytes and their place.
    ///
    /// - Parameters:
    ///   - name: what tells it from others, across openings.
    ///   - kinds: what it applies to.
    ///   - transform: changes bytes where they are. The offset is that of the first in the resource, in bytes. What it
    ///     throws ends the read.
    public static func inPlace(
        _ name: String, kinds: Set<ResourceKind>,
        _ transform: @escaping @Sendable (_ bytes: UnsafeMutableRawBufferPointer, _ offset: Int64) throws -> Void
    ) -> ContentTransform {
        ContentTransform(name: name, kinds: kinds, function: .inPlace(transform))
    }

    /// A transform of bodies that are read whole (``CacheStore/wholeBody(_:)``), which may change the length. What is of
    /// its kinds can't be read by ranges before it has been read whole, and kept.
    ///
    /// - Parameters:
    ///   - name: what tells it from others, across openings.
    ///   - kinds: what it applies to.
    ///   - transform: gives what takes the body's place. It isn't called for a body that stays in a content coding. What
    ///     it throws ends the read.
    public static func wholeBody(
        _ name: String, kinds: Set<ResourceKind>,
        _ transform: @escaping @Sendable (_ body: [UInt8]) throws -> [UInt8]
    ) -> ContentTransform {
        ContentTransform(name: name, kinds: kinds, function: .wholeBody(transform))
    }

    var applied: AppliedTransform {
        switch function {
        case .inPlace: AppliedTransform(name: name, isWhole: false)
        case .wholeBody: AppliedTransform(name: name, isWhole: true)
        }
    }

    /// The body as it's kept.
    func body(_ bytes: [UInt8]) throws -> [UInt8] {
        do {
            switch function {
            case .wholeBody(let transform): return try transform(bytes)
            case .inPlace(let transform):
                var bytes = bytes
                try bytes.withUnsafeMutableBytes { try transform($0, 0) }
                return bytes
            }
        } catch {
            throw failure(error)
        }
    }

    /// Changes a part of it where it is.
    func apply(to bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        guard case .inPlace(let transform) = function else { return }
        do {
            try transform(bytes, offset)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> CacheError {
        CacheError(.badResponse, "the transform “\(name)” failed", cause: error)
    }
}

/// The transform that made a representation's bytes, as it's known across openings.
package struct AppliedTransform: Sendable, Hashable {
    package var name: String
    /// Whether it needed the whole body, so that no part can be fetched again by itself.
    package var isWhole: Bool

    package init(name: String, isWhole: Bool) {
        self.name = name
        self.isWhole = isWhole
    }
}
