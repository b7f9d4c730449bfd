import Git
import Testing

@Suite struct ProgramKeyTests {
  private func use(_ line: String) -> ProgramKey.Use? {
    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      .map(String.init)
    return ProgramKey.use(Array(parts[0].utf8), parts.count > 1 ? Array(parts[1].utf8) : nil)
  }

  @Test(arguments: [
    "filter.x.clean=cat", "filter.x.smudge=cat", "filter.x.process=p", "filter.x.later=p",
    "filter.lfs.clean=git-lfs clean -- %f; evil", "filter.lfs.process=./git-lfs filter-process",
    "merge.x.driver=cat %A", "core.fsmonitor=.git/hooks/monitor", "core.hookspath=.husky",
    "core.sshcommand=ssh -i key", "core.gitproxy=p", "core.alternaterefscommand=p",
    "core.virtualfilesystem=p", "core.whateverislater=1", "credential.helper=store",
    "credential.https://example.org.helper=!p", "gpg.program=p", "gpg.ssh.program=p",
    "gpg.ssh.defaultkeycommand=p", "remote.origin.uploadpack=p", "remote.origin.receivepack=p",
    "remote.origin.vcs=hg", "remote.origin.url=ext::sh -c p", "remote.a.b.pushurl=fd::17",
    "remote.origin.url=-oProxyCommand=p", "remote.origin.url=hg://host/x",
    "url.ext::sh .insteadof=https://", "protocol.allow=always", "protocol.ext.allow=user",
    "submodule.x.update=!p", "uploadpack.packobjectshook=p", "hook.x.command=p",
    "lfs.extension.x.clean=p", "lfs.customtransfer.x.path=p", "lfs.standalonetransferagent=x",
    "branch.x.remote=ext::sh -c p", "branch.x.pushremote=-oProxyCommand=p",
    "remote.pushdefault=ext::p", "gc.recentobjectshook=p", "tar.x.command=p",
    "new.section.program=p", "new.x.y=!p",
  ])
  func `A program that git would run by itself is told`(_ line: String) {
    #expect(use(line) == .action)
  }

  @Test(arguments: [
    "alias.x=!p", "core.editor=vi", "core.pager=less", "core.askpass=p", "sequence.editor=vi",
    "pager.log=less", "diff.external=p", "diff.x.command=p", "diff.x.textconv=p",
    "difftool.x.cmd=p", "mergetool.x.cmd=p", "sendemail.smtpserver=/usr/bin/p",
    "interactive.difffilter=p", "trailer.x.command=p", "browser.x.cmd=p",
  ])
  func `A program for a person at a terminal is told apart`(_ line: String) {
    #expect(use(line) == .terminal)
  }

  @Test(arguments: [
    "http.cookiefile=x", "http.savecookies=true", "http.savecookies", "http.sslkey=x",
    "http.https://host/.sslcert=x", "http.sslcainfo=x", "http.sslverify=false", "http.proxy=x",
    "http.curloptresolve=x", "http.delegation=always", "http.whateverislater=x",
    "remote.origin.proxy=x", "remote.origin.proxyauthmethod=basic",
  ])
  func `A file or an authority of a fetch is told apart`(_ line: String) {
    #expect(use(line) == .fetch)
  }

  @Test(arguments: ["commit.gpgsign=true", "commit.gpgsign", "merge.verifysignatures=on"])
  func `A signature that a repository wants is told apart`(_ line: String) {
    #expect(use(line) == .signature)
  }

  @Test(arguments: [
    "http.savecookies=false", "http.sslverify=true", "http.postbuffer=1", "http.version=HTTP/2",
    "http.https://host/.extraheader=a: b", "commit.gpgsign=false", "merge.verifysignatures=no",
    "core.bare=false", "core.fsmonitor=true", "core.fsmonitor", "core.autocrlf=input",
    "core.eol=lf",
    "core.worktree=/x", "core.excludesfile=~/x", "diff.renames=copies", "diff.x.xfuncname=^a",
    "merge.x.name=n", "merge.conflictstyle=diff3", "filter.x.required=true", "filter.x.clean=",
    "filter.lfs.clean=git-lfs clean -- %f", "filter.lfs.smudge=git-lfs smudge -- %f",
    "filter.lfs.smudge=git-lfs smudge --skip -- %f", "filter.lfs.process=git-lfs filter-process",
    "filter.lfs.process=git-lfs filter-process --skip", "remote.origin.url=git@host:a/b",
    "remote.origin.url=https://host/a", "remote.origin.url=/path/a", "remote.origin.url=../a",
    "remote.origin.url=ssh://host/a", "remote.origin.fetch=+a:b", "remote.origin.gh-resolved=base",
    "url.git@host:.insteadof=https://host/", "protocol.https.allow=always",
    "protocol.ext.allow=never", "credential.username=me", "credential.helper=", "gpg.format=ssh",
    "submodule.x.update=rebase", "submodule.x.url=u", "alias.st=status", "pager.log=false",
    "branch.a.b.remote=origin", "branch.main.vscode-merge-base=x", "branch.main.description=p",
    "user.name=me",
    "includeif.onbranch:x.path=y", "hook.x.event=post-checkout", "advice.ignoredhook=false",
    "lfs.repositoryformatversion=0", "hub.protocol=ssh", "gitflow.path.hooks=x",
    "extensions.worktreeconfig=true",
  ])
  func `What names no program is not a danger`(_ line: String) {
    #expect(use(line) == nil)
  }

  private func programs(_ lines: [(GitSettings.Scope, String)]) throws -> ConfiguredPrograms {
    let text = lines.map { "\($0.0.rawValue)|file:config|\($0.1)|" }.joined()
    let settings = try GitSettings(text.utf8.map { $0 == UInt8(ascii: "|") ? 0 : $0 })
    return ConfiguredPrograms(settings) { [.local, .worktree].contains($0.scope) }
  }

  private func text(_ settings: [ConfiguredPrograms.Setting]) -> Set<String> {
    Set(settings.map { String(decoding: $0.key + [0x3D] + $0.value, as: UTF8.self) })
  }

  @Test func `What the repository names is taken away, and what the person chose stays`() throws {
    let found = try programs([
      (.global, "filter.mine.clean\nmine"), (.global, "core.hookspath\n/home/hooks"),
      (.system, "filter.lfs.clean\ngit-lfs clean -- %f"), (.local, "filter.a=b.clean\nevil"),
      (.worktree, "merge.evil.driver\nevil"), (.local, "alias.x\n!evil"),
      (.command, "core.fsmonitor\nfalse"),
    ])
    #expect(found.programs.map(\.use) == [.action, .action, .terminal])
    #expect(found.hasActions && found.hasOwnFilters && found.hasMergeDriver && found.runsLFS)
    #expect(
      text(found.neutral) == [
        "core.hooksPath=/home/hooks", "core.fsmonitor=false", "filter.a=b.clean=",
        "filter.a=b.smudge=", "filter.a=b.process=", "filter.a=b.required=false",
        "merge.evil.driver=false", "commit.gpgsign=false", "merge.verifysignatures=false",
        "tag.gpgsign=false",
      ]
    )
    #expect(try !programs([(.local, "alias.x\n!evil")]).hasActions)
  }

  @Test func `Git signs as the person says, with the person's program`() throws {
    let signs: [(GitSettings.Scope, String)] = [
      (.global, "commit.gpgsign\ntrue"), (.global, "gpg.program\nmine"),
    ]
    let own = try programs(signs)
    #expect(own.signer.map { String(decoding: $0.command, as: UTF8.self) } == "mine")
    #expect(
      text(own.watchful).isSuperset(of: [
        "commit.gpgsign=true", "merge.verifysignatures=false", "gpg.openpgp.program=mine",
        "gpg.x509.program=gpgsm", "gpg.ssh.program=ssh-keygen",
      ])
    )
    // The repository may do without, and may choose another kind of key.
    let without = try programs(signs + [(.local, "commit.gpgsign\nfalse")])
    #expect(without.signer == nil && text(without.watchful).contains("commit.gpgsign=false"))
    let other = try programs(signs + [(.local, "gpg.format\nssh")])
    #expect(other.signer?.isGnuPG == false)
    #expect(other.signer.map { String(decoding: $0.command, as: UTF8.self) } == "ssh-keygen")
    // What it wants beyond that is passed over.
    let wanted = try programs([(.local, "commit.gpgsign\ntrue"), (.local, "gpg.program\nevil")])
    #expect(wanted.signer == nil && wanted.programs.map(\.use) == [.signature, .action])
    #expect(text(wanted.neutral).contains("commit.gpgsign=false"))
  }

  @Test func `A fetch asks the person's helpers only`() throws {
    let found = try programs([
      (.global, "credential.helper\nstore"), (.local, "credential.https://host.helper\n!evil"),
      (.global, "credential.https://host.helper\n!mine"), (.global, "core.sshcommand\nssh -4"),
      (.local, "core.sshcommand\nevil"), (.global, "protocol.hg.allow\nalways"),
    ])
    #expect(
      found.fetchSettings.prefix(3).map {
        String(decoding: $0.key + [0x3D] + $0.value, as: UTF8.self)
      }
        == [
          "credential.helper=", "credential.helper=store", "credential.https://host.helper=!mine",
        ]
    )
    #expect(
      found.fetchVariables == [
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh:hg", "GIT_SSH_COMMAND": "ssh -4",
        "GIT_PROXY_COMMAND": "",
      ]
    )
  }

  @Test func `Programs of git-lfs that the repository names take git-lfs away`() throws {
    let found = try programs([
      (.global, "filter.lfs.process\ngit-lfs filter-process"),
      (.local, "lfs.extension.e.clean\nevil"),
    ])
    #expect(found.usesLFS && !found.runsLFS)
    #expect(text(found.neutral).contains("filter.lfs.process="))
  }

  @Test func `Each change of what is named makes other canonical bytes`() throws {
    let base = try programs([(.local, "filter.x.clean\na"), (.local, "core.sshcommand\nb")])
    let others = try [
      programs([(.local, "filter.x.clean\nab"), (.local, "core.sshcommand\nb")]),
      programs([(.local, "filter.y.clean\na"), (.local, "core.sshcommand\nb")]),
      programs([(.local, "filter.x.clean\na")]),
      programs([(.local, "filter.x.clean\nacore.sshcommand"), (.local, "core.sshcommand\nb")]),
    ]
    for other in others { #expect(other.canonical != base.canonical) }
    let again = try programs([
      (.local, "filter.x.clean\na"), (.local, "user.name\nme"), (.local, "core.sshcommand\nb"),
    ])
    #expect(again.canonical == base.canonical)
    #expect(ConfiguredPrograms(try GitSettings([])) { _ in true }.canonical.isEmpty)
  }
}
