import MediaContainers

/// Reports a container, from wherever its bytes come.
struct ContainerInspector: Sendable {
    /// What is to be printed.
    enum Output: Sendable {
        /// A page for people.
        case text
        /// JSON.
        case json
        /// A line of CSV for each sample.
        case packets
    }

    /// What is looked at.
    var source: InputArgument
    /// Where segments of fragmented MP4 have their index.
    var initialization: InputArgument?
    /// What is to be printed.
    var output: Output

    /// Reports it.
    ///
    /// - Returns: false if it's none, and nothing was printed.
    /// - Throws: ``CommandFailure`` and `ContainerError`.
    func report(_ opening: InputOpening) throws -> Bool {
        // A file that can't be opened or read at any place may be a playlist all the same: who reads that will tell.
        guard let bytes = source.isURL ? try opening.bytes(of: source) : try? opening.bytes(of: source) else {
            return false
        }
        let movie = try initialization.map { try MP4Reader(try opening.bytes(of: $0)).movie }
        guard let contents = try ContainerContents(bytes, initialization: movie) else { return false }
        guard case .packets = output else {
            try print(try ContainerInspection(contents, name: source.name))
            return true
        }
        var printer = PacketPrinter(write: StandardStreams.write)
        do {
            try contents.deliver(to: &printer)
        } catch {
            // What came before the damage is right.
            try printer.flush()
            throw error
        }
        try printer.flush()
        return true
    }

    private func print(_ inspection: ContainerInspection) throws {
        guard case .json = output else {
            return try StandardStreams.print(ContainerReport(inspection: inspection).text)
        }
        let dropped = inspection.droppedDiagnostics
        if dropped > 0 { StandardStreams.printError("mediacache: note: \(dropped) more findings are left out") }
        try StandardStreams.print(JSONOutput.text(ContainerRecord(inspection)))
    }
}
