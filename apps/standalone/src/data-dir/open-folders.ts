import { chmod, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** Account of the server when this process is root: PostgreSQL refuses to run as root and uses `nobody`. */
export interface ServerAccount {
  uid: number
  gid: number
}

/** Returns the topmost folder on the way to `path` that `account` may not enter. */
export async function closedFolder(
  path: string,
  account: ServerAccount | undefined,
): Promise<string | undefined> {
  if (!account) return undefined
  const above = dirname(path)
  const closed = above === path ? undefined : await closedFolder(above, account)
  if (closed) return closed
  const { mode, uid } = await stat(await realpath(path))
  const bit = uid === account.uid ? 0o100 : 0o001
  return (mode & bit) === 0 ? path : undefined
}

/**
 * Creates `folder` if it is missing.
 *
 * @throws Error naming the folder that the account may not enter
 */
export async function openOutside(
  folder: string,
  account: ServerAccount | undefined,
  closed: string,
) {
  try {
    await makeOpen(folder)
  } catch (cause) {
    throw new Error(closedSentence(closed), { cause })
  }
  const blocked = await closedFolder(folder, account)
  if (blocked) throw new Error(closedSentence(blocked))
}

/** Creates missing folders with mode 0755 under any umask; existing folders are unchanged. */
export async function makeOpen(folder: string): Promise<void> {
  let path = resolve(folder)
  const first = await mkdir(path, { recursive: true, mode: 0o755 })
  while (first !== undefined && path.length >= first.length) {
    await chmod(path, 0o755)
    path = dirname(path)
  }
}

export const closedSentence = (folder: string) =>
  `the database server runs as uid 65534 and cannot enter ${folder}: open it (chmod o+x ${folder}) or choose another folder with RETICLE_DATA_DIR`
