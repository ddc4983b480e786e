internal import MediaCache

/// The folder of exports: `exports/<programme>.mp4` and `.3gp` outside the catalog. Unfinished exports are drafts with
/// another suffix.
struct ExportFolder: Sendable {
    private static let draftSuffix = ".part"
    private let folder: SideFolder

    init(_ store: CacheStore) { folder = store.sideFolder("exports") }

    /// Returns the name of an export's file.
    static func name(_ programme: String, _ format: ProgrammeFormat) -> String { "\(programme).\(format.rawValue)" }

    /// Returns the path of a draft for writing.
    func draft(_ name: String) async throws -> String { try await folder.path(for: name + Self.draftSuffix) }

    /// Renames a finished draft, and returns when the new name is durable.
    ///
    /// - Returns: The length in bytes.
    func place(_ name: String) async throws -> Int64 { try await folder.place(name + Self.draftSuffix, as: name) }

    /// Deletes an export's file and draft, if they exist.
    func remove(_ name: String) async throws {
        try await folder.remove(name)
        try await removeDraft(name)
    }

    /// Deletes a draft, if it exists.
    func removeDraft(_ name: String) async throws { try await folder.remove(name + Self.draftSuffix) }

    /// Deletes the drafts of earlier processes, and unknown files.
    ///
    /// - Parameter known: The names of known files; nil if they can't be determined, so that all finished files remain.
    /// - Returns: The names of the remaining files.
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

    /// Opens an export's file; returns nil if it doesn't exist.
    func open(_ name: String) async throws -> SideFile? { try await folder.open(name) }
}
