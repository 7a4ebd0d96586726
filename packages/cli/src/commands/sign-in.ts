import { hostname } from 'node:os'
import { createClient } from '@reticle/sdk'
import type { Command } from 'commander'
import { createColumn } from '../resources/columns.ts'
import {
  type CliContext,
  type CommandSession,
  clientOf,
  openSession,
} from '../session/command-session.ts'
import { defaultUrl, writeConfig } from '../session/config.ts'
import { serverUrl, unknownProfileFailure } from '../session/target.ts'
import { addExamples } from '../terminal/examples.ts'
import { promptSecret } from '../terminal/prompts.ts'

export function addSignIn(program: Command, context: CliContext): void {
  const login = program
    .command('login')
    .summary('Sign in, and store a token')
    .description(
      'Prompts for an access token (or, with --username, for a password, to create a token), tests it, and stores it in a profile.\n' +
        'The token or password can also be sent to standard input; it is never an argument.',
    )
    .argument('[url]', 'address of the server')
    .option('--username <name>', 'sign in with a password, and create a token')
    .option('--read-only', 'with --username: create a read-only token')
    .option('--expires <date>', 'with --username: last day of the token, as DD/MM/YYYY')
    .action(async (url: string | undefined, options: LoginOptions, self: Command) =>
      signIn(url, options, openSession(self, context)),
    )
  addExamples(login, [
    ['reticle login https://reticle.example.org', 'asks for the token'],
    ['reticle login localhost:8080 --username anna', 'asks for the password, creates a token'],
    ['reticle login https://reticle.example.org < token.txt', 'in a script'],
  ])
  const logout = program
    .command('logout')
    .summary('Delete the token of a profile')
    .description(
      'Deletes the token from the profile. The token stays valid: revoke it with `reticle token delete`.',
    )
    .action(async (_: object, self: Command) => signOut(openSession(self, context)))
  addExamples(logout, [['reticle logout --profile work', 'of that profile']])
  const whoami = program
    .command('whoami')
    .summary('Show the signed-in account')
    .description('Shows the account and the token that the server recognizes.')
    .action(async (_: object, self: Command) => whoAmI(openSession(self, context)))
  addExamples(whoami, [['reticle whoami', 'of the current profile']])
  const profiles = program
    .command('profiles')
    .summary('List the stored servers')
    .description('Lists the profiles of the config file, without their tokens.')
    .option('--use <name>', 'make this profile the default')
    .action(async (options: { use?: string }, self: Command) =>
      listProfiles(options, openSession(self, context)),
    )
  addExamples(profiles, [['reticle profiles --use work', 'from now on']])
}

interface LoginOptions {
  username?: string
  readOnly?: boolean
  expires?: string
}

async function signIn(url: string | undefined, options: LoginOptions, session: CommandSession) {
  const { context, output, options: globals } = session
  const config = await session.config()
  const name = globals.profile ?? context.env.profile ?? config.current
  const known = config.profiles[name]
  const root = serverUrl(url ?? globals.url ?? context.env.url ?? known?.url ?? defaultUrl)
  const token = options.username
    ? await createToken(root, options.username, options, session)
    : await promptSecret(context, 'Access token')
  const organization = globals.organization ?? known?.organization
  // The token is tested before it is stored.
  const client = clientOf({ url: root, token, organization })
  const { username } = await client.getSelf({}, { signal: session.signal })
  const profile = { url: root, token, ...(organization !== undefined && { organization }) }
  const profiles = { ...config.profiles, [name]: profile }
  const isFirst = !config.profiles[config.current]
  await writeConfig(context.env.configFile, { current: isFirst ? name : config.current, profiles })
  output.result(`Signed in at ${root} as ${username}.`, { profile: name, url: root, username })
  if (!isFirst && name !== config.current)
    output.note(
      `Use it with --profile ${name}, or make it the usual one: reticle profiles --use ${name}`,
    )
  if (context.env.token) output.warn('SERVICE_ACCESS_TOKEN is set and goes before the profile.')
}

/** Creates an access token for this machine, using the password. */
async function createToken(
  url: string,
  username: string,
  { readOnly = false, expires }: LoginOptions,
  { context, signal }: CommandSession,
): Promise<string> {
  const password = await promptSecret(context, `Password of ${username}`)
  const client = createClient({ url, basic: { username, password } })
  const name = `reticle on ${hostname()}`.slice(0, 50)
  const body = { name, read_only: readOnly, ...(expires && { expiry_date: expires }) }
  return (await client.createAccessToken({ body }, { signal })).value
}

async function signOut({ context, output, config, target }: CommandSession): Promise<void> {
  const { profile: name } = await target()
  const before = await config()
  const { token, ...profile } = before.profiles[name] ?? { url: '' }
  if (!token) return output.note(`The profile "${name}" has no token.`)
  const profiles = { ...before.profiles, [name]: profile }
  await writeConfig(context.env.configFile, { ...before, profiles })
  output.result(`Signed out of ${profile.url}.`, { profile: name, url: profile.url })
}

async function whoAmI({ client, target, output, signal }: CommandSession): Promise<void> {
  const { url, profile, organization, from } = await target()
  const server = await client()
  const user = await server.getSelf({}, { signal })
  const token = await server.getCurrentAccessToken({}, { signal }).catch(() => undefined)
  const { id, username, email, groups } = user
  const record = { url, profile, organization: organization ?? null, id, username, email, groups }
  output.record({ ...record, token: token ?? null, token_from: from.token }, [
    ['server', `${url} (${from.url})`],
    ['user', `${username} (${id})`],
    ['groups', groups.join(', ')],
    ['organization', organization === '' ? 'the personal workspace' : (organization ?? 'any')],
    ['token', token ? tokenText(token) : `no access token (${from.token})`],
  ])
}

const tokenText = (token: { name: string; read_only: boolean; expiry_date: string | null }) =>
  `${token.name}, ${token.read_only ? 'reads only' : 'reads and writes'}, ${token.expiry_date ? `until ${token.expiry_date}` : 'never expires'}`

async function listProfiles({ use }: { use?: string }, session: CommandSession): Promise<void> {
  const { context, output } = session
  let config = await session.config()
  if (use !== undefined) {
    if (!config.profiles[use]) throw unknownProfileFailure(use, config)
    config = { ...config, current: use }
    await writeConfig(context.env.configFile, config)
  }
  const rows = Object.entries(config.profiles).map(([name, { url, token, organization }]) => ({
    name,
    url,
    organization: organization ?? null,
    has_token: token !== undefined,
    is_current: name === config.current,
  }))
  output.table(rows, [
    createColumn('', ({ is_current }) => (is_current ? '*' : '')),
    createColumn('PROFILE', ({ name }) => name),
    createColumn('SERVER', ({ url }) => url),
    createColumn('ORGANIZATION', ({ organization }) => organization),
    createColumn('TOKEN', ({ has_token }) => (has_token ? 'yes' : 'no')),
  ])
}
