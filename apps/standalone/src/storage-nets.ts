import type { StandaloneConfig } from './config.ts'

const loopback = '127.0.0.0/8,::1/128'
const inside = `${loopback},10.0.0.0/8,100.64.0.0/10,172.16.0.0/12,192.168.0.0/16,fc00::/7`

/**
 * Returns the non-public networks that may contain cloud storages in the single-process mode. Administrators may use
 * the private networks. Every user may use loopback while the server itself is only reachable by loopback, because each
 * caller is then on the machine. A setting of the operator replaces both.
 */
export function storageNets({
  host,
  env,
}: Pick<StandaloneConfig, 'host' | 'env'>): Record<string, string> {
  const { RETICLE_STORAGES_ALLOWED_NETS: allowed, RETICLE_PUBLIC_URL: publicUrl } = env
  if (allowed !== undefined) return {}
  const isLocal = isLoopback(host) && (publicUrl === undefined || isLoopback(hostOf(publicUrl)))
  return {
    RETICLE_STORAGES_ALLOWED_NETS: isLocal ? loopback : '',
    RETICLE_PROJECTS_STORAGE_ADMIN_NETS: inside,
  }
}

/** Returns the host of a URL, without the brackets of IPv6; empty for an invalid URL. */
const hostOf = (url: string) =>
  URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : ''

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
