import type { Config } from './config.ts'

const loopback = '127.0.0.0/8,::1/128'
const inside = `${loopback},10.0.0.0/8,100.64.0.0/10,172.16.0.0/12,192.168.0.0/16,fc00::/7`

/**
 * Networks that are not public and may hold cloud storages in one process: administrators connect buckets of their network.
 * Every user connects buckets on loopback while only loopback reaches the server itself: each caller is on the machine then.
 * A setting of the operator replaces both.
 */
export function storageNets({ host, env }: Pick<Config, 'host' | 'env'>): Record<string, string> {
  const { RETICLE_STORAGES_ALLOWED_NETS: given, RETICLE_PUBLIC_URL: publicUrl } = env
  if (given !== undefined) return {}
  const isLocal = isLoopback(host) && (publicUrl === undefined || isLoopback(hostOf(publicUrl)))
  return {
    RETICLE_STORAGES_ALLOWED_NETS: isLocal ? loopback : '',
    RETICLE_PROJECTS_STORAGE_ADMIN_NETS: inside,
  }
}

/** The host of a URL, without the brackets of IPv6; empty where there is none. */
const hostOf = (url: string) =>
  URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : ''

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
