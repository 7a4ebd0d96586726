import { Failure, usageFailure } from '../failures/failure.ts'
import { type CliConfig, defaultProfile, defaultUrl, type Environment } from './config.ts'

/** Options of every command. */
export interface GlobalOptions {
  url?: string
  profile?: string
  organization?: string
  json?: boolean
  quiet?: boolean
}

/** Server, credentials and organization of a command. */
export interface ServerTarget {
  /** URL of the server, `https://host:port`, without `/api`. */
  url: string
  token: string | undefined
  /** Slug of the organization; empty: the personal workspace; undefined: no restriction. */
  organization: string | undefined
  profile: string
  /** Origin of each value, for `doctor`. */
  from: { url: string; token: string }
}

/**
 * Determines the target. Options take precedence over the environment, and the environment over the profile. The
 * token of a profile is used only for the server of that profile.
 *
 * @throws Failure for an unknown profile or an invalid address
 */
export function targetOf(
  options: GlobalOptions,
  env: Environment,
  config: CliConfig,
): ServerTarget {
  const name = options.profile ?? env.profile ?? config.current
  const profile = config.profiles[name]
  if (!profile && name !== defaultProfile) throw unknownProfileFailure(name, config)
  const [given, from] = firstOf([
    [options.url, '--url'],
    [env.url, 'RETICLE_URL'],
    [profile?.url, `profile "${name}"`],
  ]) ?? [defaultUrl, 'nothing is set']
  const url = serverUrl(given)
  const own = profile && serverUrl(profile.url) === url ? profile : undefined
  const token = firstOf([
    [env.token, 'SERVICE_ACCESS_TOKEN'],
    [own?.token, `profile "${name}"`],
  ])
  return {
    url,
    token: token?.[0],
    organization: options.organization ?? env.organization ?? own?.organization,
    profile: name,
    from: { url: from, token: token?.[1] ?? 'nothing is set' },
  }
}

const firstOf = (given: readonly (readonly [string | undefined, string])[]) => {
  for (const [value, from] of given) if (value !== undefined) return [value, from] as const
  return undefined
}

/** Returns the root URL of a server; accepts `host`, `http://host:8080/` and `https://host/api`. */
export function serverUrl(given: string): string {
  const text = given.includes('://') ? given : `${isLocal(given) ? 'http' : 'https'}://${given}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw usageFailure(
      `${given} is no address of a server`,
      'Write it like https://reticle.example.org',
    )
  if (url.username || url.password)
    throw usageFailure(
      'The address holds a password, which everybody could read in the list of processes',
      'Leave it out and run `reticle login`.',
    )
  const path = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/api$/, '')
  return `${url.origin}${path}`
}

const isLocal = (given: string) => /^(localhost|127\.[\d.]+|\[::1\])(:|\/|$)/.test(given)

/** Creates the failure for a profile that does not exist. */
export function unknownProfileFailure(name: string, { profiles }: CliConfig): Failure {
  const known = Object.keys(profiles).join(', ') || 'none'
  return new Failure(`There is no profile "${name}" (there is: ${known})`, {
    ending: 'usage',
    code: 'no_profile',
    hint: `Create it with \`reticle login --profile ${name}\`.`,
  })
}
