import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'

/** Where a bucket is, and with which credentials it is asked. Texts of users are read here, before anything is sent. */
export type BucketAddress = S3Address | AzureAddress | GoogleAddress

export interface S3Address {
  provider: 's3'
  bucket: string
  /** `http(s)://host:port`, no path; default: Amazon's. */
  endpoint?: string
  region?: string
  /** None: anybody may ask. */
  credentials?: { key: string; secret: string; sessionToken?: string }
}

export interface AzureAddress {
  provider: 'azure'
  bucket: string
  /** Of the account: `https://name.blob.core.windows.net`. */
  url: string
  sharedKey?: { account: string; key: string }
  /** A shared access signature, as a query. */
  sas?: string
}

export interface GoogleAddress {
  provider: 'google'
  bucket: string
  keyFile?: KeyFile
  /** Only of tests: without credentials. */
  endpoint?: string
}

/** A text cannot be used: the message says what is wrong and nothing of what it holds. */
export class AddressUnreadable extends Error {}

export const azureUrlOf = (account: string) => `https://${account}.blob.core.windows.net`

export const isAccountName = (text: string) => /^[a-z0-9]{3,24}$/.test(text)

/**
 * Reads what Azure calls a connection string: `AccountName=...;AccountKey=...`, or `BlobEndpoint=...` with
 * `SharedAccessSignature=...`. Endpoints of other services in it are not used.
 *
 * @throws AddressUnreadable
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

/** What is used of the key file of a service account. */
export interface KeyFile {
  client_email: string
  private_key: string
}

/** Other kinds of key files send their holder to addresses, files or programs that they name. */
const serviceAccount = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(3).max(320),
  private_key: z.string().max(8192).refine(isPrivateKey),
  token_uri: z.string().optional(),
  universe_domain: z.literal('googleapis.com').optional(),
})

/** Where Google gives out tokens; a file that names another place is refused. */
const tokenUris = [
  'https://oauth2.googleapis.com/token',
  'https://accounts.google.com/o/oauth2/token',
  'https://www.googleapis.com/oauth2/v4/token',
]

/** @throws AddressUnreadable */
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
