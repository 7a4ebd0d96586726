import { type Client, createClient } from '@reticle/sdk'
import type { Command } from 'commander'
import { createOutput, type Output } from '../terminal/output.ts'
import { createProgress, type ProgressDisplay } from '../terminal/progress.ts'
import { type PromptTerminal, promptSecret } from '../terminal/prompts.ts'
import { type CliConfig, type Environment, readConfig } from './config.ts'
import { type GlobalOptions, type ServerTarget, targetOf } from './target.ts'
import { version } from './version.ts'

/** Environment of the program, passed in so that no other code accesses the process. */
export interface CliContext extends PromptTerminal {
  env: Environment
  stdout: NodeJS.WriteStream
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  /** Functions to run when the program ends, in any way. */
  atEnd: (() => void)[]
}

/** One run of a command. */
export interface CommandSession {
  context: CliContext
  signal: AbortSignal
  output: Output
  progress: ProgressDisplay
  options: GlobalOptions
  config(): Promise<CliConfig>
  target(): Promise<ServerTarget>
  /** Returns a client of the target. */
  client(): Promise<Client>
  /** Returns a client that signs in with a prompted password. */
  clientAs(username: string): Promise<Client>
}

export function openSession(command: Command, context: CliContext): CommandSession {
  const options = command.optsWithGlobals<GlobalOptions>()
  const { env, stdout, stderr, signal, atEnd } = context
  const progress = createProgress(stderr, options)
  atEnd.push(progress.stop)
  const config = () => readConfig(env.configFile)
  const target = async () => targetOf(options, env, await config())
  return {
    context,
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
      const password = await promptSecret(context, `Password of ${username}`)
      return createClient({ url, organization, user_agent, basic: { username, password } })
    },
  }
}

const user_agent = `reticle-cli/${version}`

export const clientOf = ({
  url,
  token,
  organization,
}: Pick<ServerTarget, 'url' | 'token' | 'organization'>) =>
  createClient({ url, token, organization, user_agent })
