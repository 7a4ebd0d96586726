import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'

/**
 * Address of a bucket of a user with the credentials for it. Input of users is parsed here, before any request is sent.
 */
export type BucketAddress = S3Address | AzureAddress | GoogleAddress

export interface S3Address {
  provider: 's3'
  bucket: string
  /** Address `http(s)://host:port` without a path; Amazon by default. */
  endpoint?: string
  region?: string
  /** Absent for anonymous access. */
  credentials?: { key: string; secret: string; sessionToken?: string }
}

export interface AzureAddress {
  provider: 'azure'
  bucket: string
  /** Address of the account: `https://name.blob.core.windows.net`. */
  url: string
  sharedKey?: { account: string; key: string }
  /** Shared access signature in the form of a URL query. */
  sas?: string
}

export interface GoogleAddress {
  provider: 'google'
  bucket: string
  keyFile?: KeyFile
  /** Endpoint for tests; such requests carry no credentials. */
  endpoint?: string
}

/**
 * Error of an input that cannot be parsed. The message describes the
 * fault without quoting the input, which may contain secrets.
 */
export class AddressUnreadable extends Error {}

export const azureUrlOf = (account: string) => `https://${account}.blob.core.windows.net`

export const isAccountName = (text: string) => /^[a-z0-9]{3,24}$/.test(text)

/**
 * Parses a connection string of Azure: `AccountName=...;AccountKey=...`, or `BlobEndpoint=...` with
 * `SharedAccessSignature=...`. Endpoints of other services in it are ignored.
 * @throws AddressUnreadable if it is malformed or incomplete
 */
export function readConnectionString(text: string): Omit<AzureAddress, 'bucket'> {
  const parts = partsOf(text)
  const account = parts.get('accountname')
  const key = parts.get('accountkey')
  const sas = parts.get('sharedaccesssignature')?.replace(/^\?/, '')
  const url = parts.get('blobendpoint') ?? endpointOf(parts, account)
  if (sas !== undefined) return { provider: 'azure', url, sas }
  if (account === undefined || key === undefined)
    throw new AddressUnreadable(
      'The connection string needs AccountName and AccountKey, or BlobEndpoint and SharedAccessSignature.',
    )
  return { provider: 'azure', url, sharedKey: { account, key } }
}

function partsOf(text: string): Map<string, string> {
  const parts = new Map<string, string>()
  for (const part of text.split(';')) {
    if (part.trim() === '') continue
    const at = part.indexOf('=')
    if (at < 1) throw new AddressUnreadable('The connection string is no list of name=value.')
    parts.set(part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim())
  }
  return parts
}

function endpointOf(parts: Map<string, string>, account: string | undefined): string {
  if (account === undefined || !isAccountName(account))
    throw new AddressUnreadable('The connection string names no account and no BlobEndpoint.')
  const protocol = parts.get('defaultendpointsprotocol') ?? 'https'
  const suffix = parts.get('endpointsuffix') ?? 'core.windows.net'
  return `${protocol}://${account}.blob.${suffix}`
}

/** Fields of the key file of a service account that are used. */
export interface KeyFile {
  client_email: string
  private_key: string
}

/**
 * Accepts service accounts only: other kinds of key files name addresses, files or programs that the library would use.
 */
const serviceAccount = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(3).max(320),
  private_key: z.string().max(8192).refine(isPrivateKey),
  token_uri: z.string().optional(),
  universe_domain: z.literal('googleapis.com').optional(),
})

/** Token endpoints of Google; a key file with another one is rejected. */
const tokenUris = [
  'https://oauth2.googleapis.com/token',
  'https://accounts.google.com/o/oauth2/token',
  'https://www.googleapis.com/oauth2/v4/token',
]

/**
 * Parses the JSON key file of a service account of Google.
 * @throws AddressUnreadable if it is another kind of file or names a foreign endpoint
 */
export function readKeyFile(text: string): KeyFile {
  const read = serviceAccount.safeParse(parsed(text))
  if (!read.success)
    throw new AddressUnreadable('The file is not the JSON key of a service account of Google.')
  const { client_email, private_key, token_uri } = read.data
  if (token_uri !== undefined && !tokenUris.includes(token_uri))
    throw new AddressUnreadable("The file names a token_uri that is not Google's.")
  return { client_email, private_key }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).type === 'private'
  } catch {
    return false
  }
}
