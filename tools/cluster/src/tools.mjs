// @ts-check
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A required program is not installed: scripts end with exit code 3. */
export class MissingTool extends Error {
  exitCode = 3
}

/**
 * Returns the exit code of a program that ends with an error.
 * @param {unknown} error
 */
export const exitCodeOf = (error) => (error instanceof MissingTool ? error.exitCode : 1)

/** @type {Record<string, string>} */
const purposes = {
  java: 'Java 17 or newer runs the Kafka broker',
  mvn: 'Maven fetches the Kafka broker, once',
  go: 'Go 1.25 or newer builds the MinIO server and the emulator of Google storage, once',
  npm: 'npm installs the emulator of Azure storage and FFmpeg, once',
}

/** @typedef {Error & {code?: string | number, stdout?: string, stderr?: string}} FailedTool */

/**
 * Runs a tool to its end.
 * @param {string} name
 * @param {readonly string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv}} options
 * @returns {Promise<{stdout: string, stderr: string}>}
 * @throws MissingTool with its purpose; Error with its output
 */
export async function runTool(name, args, options = {}) {
  try {
    return await run(name, args, { maxBuffer: 64 * 1024 * 1024, ...options })
  } catch (thrown) {
    const error = /** @type {FailedTool} */ (thrown)
    if (error.code === 'ENOENT' && name in purposes)
      throw new MissingTool(`${name} is not installed: ${purposes[name]}.`)
    const output = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim() || error.message
    const lines = output.split('\n').slice(-40)
    throw new Error([`${name} failed:`, ...lines].join('\n'), { cause: error })
  }
}

/**
 * Prints a message if the work takes longer than two seconds; standard output belongs to the settings.
 * @template Result
 * @param {string} text
 * @param {() => Promise<Result>} work
 * @param {(line: string) => void} report
 * @returns {Promise<Result>}
 */
export async function reportProgress(
  text,
  work,
  report = (line) => process.stderr.write(`${line}\n`),
) {
  const began = Date.now()
  const soon = setTimeout(() => report(`${text} ...`), 2000)
  try {
    const result = await work()
    const seconds = Math.round((Date.now() - began) / 1000)
    if (seconds > 2) report(`${text}: ${seconds} s`)
    return result
  } finally {
    clearTimeout(soon)
  }
}
