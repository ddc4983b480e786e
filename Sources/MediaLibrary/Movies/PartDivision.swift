internal import MediaContainers

/// A division of long transport streams at packet boundaries, so that reading can begin inside them.
struct PartDivision<Resources: StreamResources> {
    /// The maximum plausible duration of a media segment in seconds. Longer parts may be whole files.
    private static var maximumSegmentDuration: Double { 60 }

    private let resources: Resources
    private let partLength: Int64

    init(_ resources: Resources, partLength: Int64) {
        self.resources = resources
        self.partLength = partLength
    }

    /// Returns the plan with shorter parts that yield the same samples. A part that can't be read isn't divided.
    func divided(_ plan: StreamPlan) throws(ContainerError) -> StreamPlan {
        var plan = plan
        for index in plan.inputs.indices {
            var parts: [StreamPart] = []
            for part in plan.inputs[index] { parts += try divided(part) }
            plan.inputs[index] = parts
        }
        return plan
    }

    private func divided(_ part: StreamPart) throws(ContainerError) -> [StreamPart] {
        // Ranges of encrypted parts can't be decrypted separately, and parts with a section are usually fragmented MP4.
        guard part.key == nil, part.section == nil, part.obstacle == nil, mayBeLong(part) else { return [part] }
        do throws(ContainerError) {
            return try pieces(of: part)
        } catch {
            guard error.code == .inputOutput, !(error.cause is CancellationError) else { throw error }
            // The remux determines whether the part becomes a gap.
            return [part]
        }
    }

    private func pieces(of part: StreamPart) throws(ContainerError) -> [StreamPart] {
        let source = try resources.bytes(of: part.url, range: part.range)
        let boundaries = try TransportPacketBoundaries.boundaries(of: source, every: partLength)
        guard !boundaries.isEmpty else { return [part] }
        let base = part.range?.lowerBound ?? 0
        let starts = [0] + boundaries
        return zip(starts, boundaries + [source.length]).enumerated().map { index, range in
            var piece = part
            piece.range = base + range.0..<base + range.1
            piece.duration = part.duration * Double(range.1 - range.0) / Double(source.length)
            piece.start = part.start + part.duration * Double(range.0) / Double(source.length)
            if index > 0 { piece.join = .continuous }
            return piece
        }
    }

    private func mayBeLong(_ part: StreamPart) -> Bool {
        if let range = part.range { return range.upperBound - range.lowerBound > partLength }
        return part.duration == 0 || part.duration > Self.maximumSegmentDuration
    }
}
