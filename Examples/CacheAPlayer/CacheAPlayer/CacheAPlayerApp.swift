import AVKit
import Foundation
import MediaCache
import MediaCacheAVFoundation
import MediaLibrary
import SwiftUI

/// An app with a list of titles, a player, downloads, and a storage screen.
@main
struct CacheAPlayerApp: App {
    @State private var app = AppModel()
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            if let media = app.media {
                TitlesView(model: media)
            } else {
                Text(app.problem ?? "Opening…")
            }
        }
        .onChange(of: phase, initial: true) { _, phase in
            switch phase {
            case .active: app.enter(.active)
            case .inactive: app.enter(.inactive)
            case .background: app.enter(.background)
            @unknown default: break
            }
        }
        // snippet events
        .backgroundTask(.urlSession(MediaModel.transfersIdentifier)) { [app] in
            await app.storeTransferredFiles()
        }
        // end
    }
}

/// The titles, the player, and a link to the storage screen.
struct TitlesView: View {
    let model: MediaModel

    var body: some View {
        NavigationStack {
            List {
                Section("Titles") {
                    ForEach(model.titles) { title in
                        HStack {
                            Button(title.name) { Task { await model.play(title) } }
                            Spacer()
                            Button("Download", systemImage: "arrow.down.circle") {
                                Task { await model.download(title) }
                            }
                            .labelStyle(.iconOnly)
                        }
                        .buttonStyle(.borderless)
                    }
                }
                if let playing = model.playing {
                    Section(playing.title.name) {
                        VideoPlayer(player: model.player).frame(minHeight: 200)
                        if let fraction = playing.state.fractionCached {
                            ProgressView("Cached", value: fraction)
                        }
                        if let failure = playing.state.failure { Text("\(failure)").foregroundStyle(.red) }
                    }
                }
                if let problem = model.problem { Text(problem).foregroundStyle(.red) }
                NavigationLink("Storage") { StorageView(model: model) }
            }
            .navigationTitle("Cache a player")
        }
    }
}

/// The downloads with their sizes, and the usage of the cache.
struct StorageView: View {
    let model: MediaModel

    var body: some View {
        List {
            ForEach(model.downloads, id: \.asset.id) { status in
                HStack {
                    Text(status.asset.title ?? status.asset.url)
                    Spacer()
                    Text(status.progress.bytes.formatted(.byteCount(style: .file)))
                    Group {
                        Button("Play", systemImage: "play.circle") { Task { await model.playOffline(status) } }
                        Button("Set cover", systemImage: "photo") {
                            Task { await model.takeCover(of: status) }
                        }
                    }
                    .labelStyle(.iconOnly)
                }
            }
            if let usage = model.usage {
                LabeledContent("Total", value: usage.bytes.formatted(.byteCount(style: .file)))
                LabeledContent("Free", value: usage.freeDiskBytes.formatted(.byteCount(style: .file)))
                Button("Remove all but downloads", role: .destructive) { Task { await model.empty() } }
            }
        }
        .navigationTitle("Storage")
        .task { await model.refresh() }
    }
}
