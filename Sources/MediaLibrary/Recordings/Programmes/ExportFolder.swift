internal import MediaCache

/// Where exports lie: `exports/<programme>.mp4` and `.3gp` beside the catalog. What isn't whole yet is a draft, with a
/// name that says so.
struct ExportFolder: Sendable {
    private static let draftSuffix = ".part"
    private let folder: SideFolder

    init(_ store: CacheStore) { folder = store.sideFolder("exports") }

    /// What an export's file is called.
    static func name(_ programme: String, _ format: ProgrammeFormat) -> String { "\(programme).\(format.rawValue)" }

    /// The path of a draft, for who writes it.
    func draft(_ name: String) async throws -> String { try await folder.path(for: name + Self.draftSuffix) }

    /// Gives a draft that is whole its name. Returns when that is durable.
    ///
    /// - Returns: its length in bytes.
    func place(_ name: String) async throws -> Int64 { try await folder.place(name + Self.draftSuffix, as: name) }

    /// Deletes an export's file and its draft, as far as they are there.
    func remove(_ name: String) async throws {
        try await folder.remove(name)
        try await removeDraft(name)
    }

    /// Deletes a draft, if there is one.
    func removeDraft(_ name: String) async throws { try await folder.remove(name + Self.draftSuffix) }

    /// Deletes what earlier processes left half done, and files that nothing is known of.
    ///
    /// - Parameter known: the files that are known; nil where that isn't sure, and whole files stay.
    /// - Returns: the names of those that are there.
    func clear(except known: Set<String>?) async throws -> Set<String> {
        var there: Set<String> = []
        for name in try await folder.names() {
            if name.hasSuffix(Self.draftSuffix) || known.map({ !$0.contains(name) }) ?? false {
                try await folder.remove(name)
            } else {
                there.insert(name)
            }
        }
        return there
    }

    /// Opens an export's file; nil where it isn't there.
    func open(_ name: String) async throws -> SideFile? { try await folder.open(name) }
}
