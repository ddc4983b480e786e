import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import MediaCacheCLI

struct ManualPageTests {
    private func page() throws -> String {
        ManualPage(root: try CommandHelp(dump: MediaCacheCommand._dumpHelp()), version: "1.2").text
    }

    @Test func containsAllCommandsAndSettings() throws {
        let page = try page()
        func check(_ command: any ParsableCommand.Type, _ path: String) {
            guard command.configuration.shouldDisplay else { return }
            #expect(page.contains(".SS \(path)"), "\(path)")
            for below in command.configuration.subcommands {
                check(below, "\(path) \(below.configuration.commandName ?? "")")
            }
        }
        for command in MediaCacheCommand.configuration.groupedSubcommands.flatMap(\.subcommands) {
            check(command, "mediacache \(command.configuration.commandName ?? "")")
        }
        for setting in Setting.allCases { #expect(page.contains(".B \(setting.variable)\n"), "\(setting)") }
        #expect(!page.contains("mediacache manual"))
        #expect(page.hasPrefix(".TH MEDIACACHE 1 \"\" \"MediaCache 1.2\""))
    }

    @Test func listsCommonOptionsOnce() throws {
        #expect(try page().components(separatedBy: ".B \\-\\-cache <dir>").count == 2)
    }

    @Test func escapesRoffRequests() {
        #expect(RoffText.escape(".so /etc/passwd") == "\\&.so /etc/passwd")
        #expect(RoffText.escape("a \\fB --b") == "a \\efB \\-\\-b")
        #expect(
            RoffText.paragraphs("One\nmore\n\n  an example\n  another\n\nTwo")
                == "One\n.br\nmore\n.PP\n.nf\n.RS 2\nan example\nanother\n.RE\n.fi\n.PP\nTwo")
    }

    @Test(.enabled(if: try Prerequisite.isMet("groff", InstalledProgram.path(of: "groff") != nil)))
    func groffReportsNoWarnings() async throws {
        let folder = try TestFolder()
        let file = folder.file("mediacache.1")
        try page().write(toFile: file, atomically: true, encoding: .utf8)
        let shell = try #require(InstalledProgram.path(of: "sh"))
        // Reads only warnings; the formatted page is discarded.
        let line = try await ProgramOutput.firstLine(
            of: shell, ["-c", "groff -man -ww -K utf8 -z '\(file)' 2>&1; echo end"])
        #expect(line == "end")
    }
}
