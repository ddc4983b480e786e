package import MediaCache

/// Programmes: windows that are kept, and what they are exported as.
extension Recordings {
    /// Keeps a window of a channel whatever its retention says. It may lie in the future.
    ///
    /// - Throws: `CacheError`: `notFound`; `invalidSetting` where it ends before it begins; `storage`.
    @discardableResult
    public func addProgramme(_ programme: Programme, to name: ChannelName) async throws -> Programme {
        guard programme.to > programme.from else {
            throw CacheError(.invalidSetting, "the programme “\(programme.name)” ends before it begins")
        }
        return try await turns.take {
            let recording = try require(name)
            try await recording.change { $0.programmes.append(programme) }
            for export in programme.exports { hub.send(.export(name, programme: programme.id, export)) }
            await recording.exportWhatIsOver()
            return programme
        }
    }

    /// Lets a window go: it's kept as long as the channel's retention says. What it was exported as is deleted.
    ///
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func removeProgramme(_ id: String, from name: ChannelName) async throws {
        try await turns.take {
            let recording = try require(name)
            let programme = try await Self.programme(id, of: recording)
            try await recording.change { $0.programmes.removeAll { $0.id == id } }
            try await removeExports(of: programme)
            await recording.retentionChanged()
        }
    }

    /// Exports a programme when it's over, at once where it is. One that has failed or was cancelled is made anew; one that
    /// is wanted already or done stays as it is.
    ///
    /// - Returns: the programme, and whether it had no export of this format before.
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func export(
        _ id: String, of name: ChannelName, as format: ProgrammeFormat
    ) async throws -> (programme: Programme, isNew: Bool) {
        return try await turns.take {
            let recording = try require(name)
            let known = try await Self.programme(id, of: recording)[format]
            try await recording.change { channel in
                guard let index = channel.programmes.firstIndex(where: { $0.id == id }) else { return }
                switch channel.programmes[index][format]?.state {
                case nil, .failed, .cancelled: channel.programmes[index][format] = ProgrammeExport(format)
                case .waiting, .running, .done: break
                }
            }
            let programme = try await Self.programme(id, of: recording)
            if let export = programme[format], export != known { hub.send(.export(name, programme: id, export)) }
            await recording.exportWhatIsOver()
            return (programme, known == nil)
        }
    }

    /// Cancels an export that isn't made yet; one that has ended is no more, nor is its file.
    ///
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func removeExport(_ format: ProgrammeFormat, of id: String, in name: ChannelName) async throws {
        try await turns.take {
            let recording = try require(name)
            guard try await Self.programme(id, of: recording)[format] != nil else {
                throw CacheError(.notFound, "the programme \(id) of \(name) isn't exported as \(format.rawValue)")
            }
            try await recording.change { channel in
                guard let index = channel.programmes.firstIndex(where: { $0.id == id }) else { return }
                switch channel.programmes[index][format]?.state {
                case .waiting, .running: channel.programmes[index][format]?.state = .cancelled
                case nil, .done, .failed, .cancelled: channel.programmes[index][format] = nil
                }
            }
            await exports.cancel(id, format)
            try await exports.folder.remove(ExportFolder.name(id, format))
            if let export = await recording.programme(id)?[format] { hub.send(.export(name, programme: id, export)) }
        }
    }

    /// Opens the file that a programme was exported as; nil where it isn't there.
    ///
    /// - Throws: `CacheError` with `storage`.
    package nonisolated func file(of programme: Programme, as format: ProgrammeFormat) async throws -> SideFile? {
        try await exports.folder.open(ExportFolder.name(programme.id, format))
    }

    /// Ends what is made of a programme that is no more, and deletes what was.
    func removeExports(of programme: Programme) async throws {
        await exports.cancel(programme.id)
        for export in programme.exports {
            try await exports.folder.remove(ExportFolder.name(programme.id, export.format))
        }
    }

    private static func programme(_ id: String, of recording: Recording) async throws -> Programme {
        let channel = await recording.channel
        guard let programme = channel.programmes.first(where: { $0.id == id }) else {
            throw CacheError(.notFound, "the channel \(channel.name) has no programme \(id)")
        }
        return programme
    }
}
