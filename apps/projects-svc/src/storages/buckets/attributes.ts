import type { CloudProvider } from '@reticle/contracts/rest/cloud-storages'
import { invalid } from '@reticle/kit/call/errors'

/** Parsed `specific_attributes` of a cloud storage. */
export interface Attributes {
  region?: string
  endpoint_url?: string
  /** Prefix of the keys that the storage shows; `''`: all keys. */
  prefix: string
}

const namesOf: Record<CloudProvider, readonly string[]> = {
  AWS_S3_BUCKET: ['region', 'endpoint_url', 'prefix'],
  AZURE_CONTAINER: ['prefix'],
  GOOGLE_CLOUD_STORAGE: ['project_id', 'location', 'prefix'],
}

/**
 * Parses URL-encoded `name=value&name=value`.
 *
 * @throws DomainError invalid naming the attribute
 */
export function readAttributes(text: string, provider: CloudProvider): Attributes {
  const values = new Map<string, string>()
  for (const part of text === '' ? [] : text.split('&')) {
    const [name, value] = readPair(part)
    if (!namesOf[provider].includes(name)) throw refused(`${name} is unknown: ${known(provider)}.`)
    if (values.has(name)) throw refused(`${name} is given twice.`)
    values.set(name, value)
  }
  const prefix = values.get('prefix') ?? ''
  if (prefix.startsWith('/') || prefix.includes('//'))
    throw refused('prefix may not start with / nor contain //.')
  const region = values.get('region') || undefined
  if (region !== undefined && !/^[A-Za-z0-9-]{1,64}$/.test(region))
    throw refused('region has letters, digits and - only.')
  return { region, endpoint_url: values.get('endpoint_url') || undefined, prefix }
}

function readPair(part: string): [string, string] {
  const at = part.indexOf('=')
  try {
    if (at < 1) throw new URIError('no pair')
    const [name, value] = [part.slice(0, at), part.slice(at + 1)].map((one) =>
      decodeURIComponent(one.replaceAll('+', ' ')),
    )
    return [name ?? '', value ?? '']
  } catch (thrown) {
    if (thrown instanceof URIError)
      throw refused('Write name=value&name=value, with values URL-encoded.')
    throw thrown
  }
}

const known = (provider: CloudProvider) => `use ${namesOf[provider].join(', ')}`

const refused = (text: string) => invalid({ specific_attributes: text })
