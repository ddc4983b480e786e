package import MediaContainers

/// The bytes of an input: a file, or a resource read through a cache.
package enum InputBytes: ByteSource {
    case file(ControlledSource<FileSource>)
    case resource(GatewaySource)

    package init(path: String, control: OperationControl, progress: ReadProgress? = nil) throws(ContainerError) {
        self = .file(ControlledSource(try FileSource(path: path), control: control, progress: progress))
    }

    package var length: Int64 {
        switch self {
        case .file(let source): source.length
        case .resource(let source): source.length
        }
    }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        switch self {
        case .file(let source): try source.read(at: offset, into: buffer)
        case .resource(let source): try source.read(at: offset, into: buffer)
        }
    }
}

/// A source that reports the progress of its reads. After cancellation, reads fail.
package final class ControlledSource<Source: ByteSource>: ByteSource {
    package let length: Int64
    private let source: Source
    private let control: OperationControl
    private let progress: ReadProgress?

    package init(_ source: Source, control: OperationControl, progress: ReadProgress?) {
        self.source = source
        self.control = control
        self.progress = progress
        length = source.length
    }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        do {
            try control.check()
        } catch {
            throw ContainerError(.inputOutput, "interrupted", at: offset, cause: error)
        }
        let count = try source.read(at: offset, into: buffer)
        progress?.add(Int64(count))
        return count
    }
}

/// The bytes of a resource, read through a cache in ranges. Reads block the thread.
package final class GatewaySource: ByteSource {
    /// The maximum number of bytes in the first response, which may be the whole resource.
    private static let maximumWholeLength = 256 << 20

    private let source: WindowedSource

    /// Opens a resource, and reads bytes from `start` on, because the response declares the length.
    package init(
        _ url: String, from start: Int64 = 0, gateway: any MediaGateway, control: OperationControl,
        progress: ReadProgress? = nil
    ) throws(ContainerError) {
        let (end, overflow) = start.addingReportingOverflow(Int64(SegmentFormat.probeLength))
        let range = start..<(overflow ? .max : end)
        let first = try Self.read(url, range, gateway: gateway, limit: Self.maximumWholeLength, control)
        guard let length = first.completeLength else {
            throw ContainerError(
                .inputOutput, "the origin doesn't declare the length",
                advice: "Download it with `get` first, then try again")
        }
        source = WindowedSource(
            length: length, window: first.bytes, at: first.offset
        ) { (range) throws(ContainerError) in
            let limit = Int(range.upperBound - range.lowerBound)
            let next = try Self.read(url, range, gateway: gateway, limit: limit, control)
            guard next.entityTag == first.entityTag, next.offset == range.lowerBound else {
                throw ContainerError(.inputOutput, "the resource changed while it was being read", at: range.lowerBound)
            }
            progress?.add(Int64(next.bytes.count))
            return next.bytes
        }
    }

    package var length: Int64 { source.length }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        try source.read(at: offset, into: buffer)
    }

    private static func read(
        _ url: String, _ range: Range<Int64>, gateway: any MediaGateway, limit: Int, _ control: OperationControl
    ) throws(ContainerError) -> FetchedBytes {
        do {
            return try control.wait { try await gateway.read(url, range: range, limit: limit) }
        } catch {
            throw ContainerError(
                .inputOutput, "the resource can't be read through the cache", at: range.lowerBound, cause: error)
        }
    }
}
