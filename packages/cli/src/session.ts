import { type Client, createClient } from '@reticle/sdk'
import type { Command } from 'commander'
import { type Config, type Environment, readConfig } from './config.ts'
import { type GlobalOptions, type Target, targetOf } from './target.ts'
import { askSecret, type Terminal } from './terminal/ask.ts'
import { createOutput, type Output } from './terminal/output.ts'
import { createProgress, type Progress } from './terminal/progress.ts'
import { version } from './version.ts'

/** Environment of the program, passed in so that no other code accesses the process. */
export interface Surroundings extends Terminal {
  env: Environment
  stdout: NodeJS.WriteStream
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  /** Functions to run when the program ends, in any way. */
  atEnd: (() => void)[]
}

/** One run of a command. */
export interface Session {
  around: Surroundings
  signal: AbortSignal
  output: Output
  progress: Progress
  options: GlobalOptions
  config(): Promise<Config>
  target(): Promise<Target>
  /** Returns a client of the target. */
  client(): Promise<Client>
  /** Returns a client that signs in with a prompted password. */
  clientAs(username: string): Promise<Client>
}

export function openSession(command: Command, around: Surroundings): Session {
  const options = command.optsWithGlobals<GlobalOptions>()
  const { env, stdout, stderr, signal, atEnd } = around
  const progress = createProgress(stderr, options)
  atEnd.push(progress.stop)
  const config = () => readConfig(env.configFile)
  const target = async () => targetOf(options, env, await config())
  return {
    around,
    signal,
    options,
    output: createOutput(
      { ...options, noColor: env.noColor, before: progress.stop },
      stdout,
      stderr,
    ),
    progress,
    config,
    target,
    client: async () => clientOf(await target()),
    async clientAs(username) {
      const { url, organization } = await target()
      const password = await askSecret(around, `Password of ${username}`)
      return createClient({ url, organization, user_agent, basic: { username, password } })
    },
  }
}

const user_agent = `reticle-cli/${version}`

export const clientOf = ({
  url,
  token,
  organization,
}: Pick<Target, 'url' | 'token' | 'organization'>) =>
  createClient({ url, token, organization, user_agent })
