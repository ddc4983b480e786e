internal import MediaContainers

/// A job that moves the index of an MP4 to its front, so that playback can start before the whole file is available.
public struct FastStartJob: Sendable {
    /// The result of a job.
    public struct Result: Encodable, Sendable {
        /// The URL or path of the input.
        public var input: String
        /// The path of the output.
        public var output: String
        /// The size of the output in bytes.
        public var size: Int64
        /// The size of the index in bytes; nil for a copy.
        public var indexSize: Int64? { index.wrappedValue }
        private let index: Nullable<Int64>
        /// Whether the index was moved. Otherwise the output is a copy.
        public var moved: Bool

        private enum CodingKeys: String, CodingKey {
            case input, output, size, moved
            case index = "indexSize"
        }

        init(input: String, output: String, size: Int64, indexSize: Int64?, moved: Bool) {
            (self.input, self.output, self.size, self.moved) = (input, output, size, moved)
            index = Nullable(wrappedValue: indexSize)
        }
    }

    /// The MP4.
    public var input: MediaInput
    /// The output.
    public var output: OutputTarget

    /// Creates a job.
    public init(input: MediaInput, output: OutputTarget) {
        self.input = input
        self.output = output
    }

    /// Writes the output.
    ///
    /// - Parameter gateway: The cache through which a URL is read; nil for a file.
    /// - Throws: ``MediaJobError``, errors of the gateway, `CancellationError`.
    public func run(gateway: (any MediaGateway)?, progress: ReadProgress? = nil) async throws -> Result {
        try await MediaJob.run(on: input.name) { control in
            let resources = InputResources(of: [input], gateway: gateway, control: control, progress: progress)
            let source = try resources.bytes(of: input)
            progress?.expect(source.length)
            let view = try FastStart.view(of: source)
            var file = try OutputFile(output)
            try view.write(to: &file)
            try file.moveToTarget()
            let index = view.layout.pieces.reduce(into: Int64(0)) { sum, piece in
                if case .generated = piece { sum += piece.length }
            }
            return Result(
                input: input.name, output: output.path, size: view.length, indexSize: index > 0 ? index : nil,
                moved: !view.layout.isIdentity(ofLength: source.length))
        }
    }
}
