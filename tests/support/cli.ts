import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AnyJson, ApiClient } from './client.ts'
import { root } from './reticle.ts'

/** The built command `reticle`, run in a separate process. */

const program = join(root, 'packages/cli/bin/reticle.mjs')

export interface CliResult {
  code: number | null
  stdout: string
  stderr: string
  /** Parsed standard output, if it is JSON. */
  json: AnyJson
}

export interface RunningCli {
  child: ChildProcess
  /** Kills the process once standard error matches. */
  killWhen(pattern: RegExp, signal?: NodeJS.Signals): Promise<void>
  ended: Promise<CliResult>
}

export interface CliHome {
  /** The working folder, with config and cache. */
  path: string
  env: Record<string, string>
  run(args: string[], input?: string): Promise<CliResult>
  /** Runs a command that must exit with 0. */
  done(args: string[], input?: string): Promise<CliResult>
  start(args: string[]): RunningCli
}

/** Creates an empty home folder for the command. A server and a token in `env` are used. */
export function createCliHome(env: Record<string, string> = {}): CliHome {
  const path = mkdtempSync(join(tmpdir(), 'reticle-cli-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  const all = {
    HOME: path,
    XDG_CONFIG_HOME: join(path, 'config'),
    XDG_CACHE_HOME: join(path, 'cache'),
  }
  const start = (args: string[], input?: string) =>
    watchCli(
      spawn(process.execPath, [program, ...args], spawnOptions(path, { ...all, ...env })),
      input,
    )
  const run = (args: string[], input = '') => start(args, input).ended
  return {
    path,
    env: { ...all, ...env },
    start: (args) => start(args),
    run,
    async done(args, input) {
      const ran = await run(args, input)
      if (ran.code !== 0) throw new Error(`reticle ${args.join(' ')}: ${ran.code}\n${ran.stderr}`)
      return ran
    },
  }
}

const spawnOptions = (cwd: string, env: Record<string, string>) => ({
  cwd,
  env: { PATH: process.env.PATH ?? '', ...env },
})

function watchCli(child: ChildProcess, input?: string): RunningCli {
  const text = { out: '', err: '' }
  child.stdout?.on('data', (piece) => (text.out += piece))
  child.stderr?.on('data', (piece) => (text.err += piece))
  child.stdin?.end(input)
  const ended = once(child, 'close').then(([code]) => ({
    code,
    stdout: text.out,
    stderr: text.err,
    json: parsed(text.out),
  }))
  return {
    child,
    ended,
    async killWhen(pattern, signal = 'SIGKILL') {
      while (!pattern.test(text.err)) {
        if (child.exitCode !== null)
          throw new Error(`the command ended before the output matched: ${text.err}`)
        await new Promise((next) => setTimeout(next, 2))
      }
      child.kill(signal)
      await ended
    },
  }
}

/** Environment with the address of the server and a token of the administrator. */
export async function signedIn(url: string, admin: ApiClient): Promise<Record<string, string>> {
  const json = { name: 'cli', read_only: false }
  const { value } = await admin.done('POST', '/auth/access_tokens', { json })
  return { RETICLE_URL: url, SERVICE_ACCESS_TOKEN: value }
}

function parsed(text: string): AnyJson {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
