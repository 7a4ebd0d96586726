import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCliHome } from '../../support/cli.ts'

/** Completions in real shells: bash, which is always required, and zsh and fish where they are installed. */

const isThere = (shell: string) => spawnSync(shell, ['-c', ':']).status === 0

interface Asking {
  /** Runs the script, then requests completions of the words; the last word is the one at the cursor. */
  complete(script: string, words: string[]): string[]
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** zsh expression for the value of the array whose name is an argument. */
const named = (argument: number) => `\${(P)${argument}}`

const shells: Record<string, Asking> = {
  bash: {
    complete(script, words) {
      const list = words.map(quoted).join(' ')
      const setup = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _reticle`
      return linesOf('bash', `source ${script}; ${setup}; printf '%s\\n' "\${COMPREPLY[@]}"`)
    },
  },
  zsh: {
    complete(script, words) {
      const lists = `print -rl -- ${named(2)}`
      const catching = `_describe() { ${lists} }; compadd() { ${lists} }; _files() { : }`
      const setup = `words=(${words.map(quoted).join(' ')}); CURRENT=${words.length}; _reticle`
      const lines = linesOf('zsh', `compdef() { : }; source ${script}; ${catching}; ${setup}`)
      // all candidates, which zsh itself compares with the word
      const names = lines.map((line) => line.replace(/(?<!\\):.*$/, ''))
      return names.filter((name) => name.startsWith(words.at(-1) ?? ''))
    },
  },
  fish: {
    complete(script, words) {
      const line = words.join(' ')
      return linesOf('fish', `source ${script}; complete -C ${quoted(line)}`).map(
        (one) => one.split('\t')[0] ?? '',
      )
    },
  },
}

const linesOf = (shell: string, command: string) =>
  execFileSync(shell, ['-c', command], { encoding: 'utf8' }).split('\n').filter(Boolean)

test.each(Object.entries(shells))(
  '%s completes commands, options and values',
  async (shell, { complete }) => {
    const machine = createCliHome()
    const { stdout } = await machine.done(['completion', shell])
    if (!isThere(shell)) {
      // The script contains the same words as those of the installed shells.
      console.warn(`${shell} is not here: what its script does was not tried`)
      expect(stdout).toContain('convert')
      return
    }
    const script = join(machine.path, `script.${shell}`)
    writeFileSync(script, stdout)
    const offered = (...words: string[]) => complete(script, ['reticle', ...words]).sort()
    expect(offered('re')).toEqual(['request', 'restore'])
    expect(offered('task', 'cr')).toEqual(['create'])
    expect(offered('--url', 'task', 'job', 'upd')).toEqual(['update'])
    expect(offered('task', 'create', 'list', '--la')).toEqual(['--label'])
    expect(offered('project', '--js')).toEqual(['--json'])
    expect(offered('job', 'update', '31', '--stage', 'v')).toEqual(['validation'])
    expect(offered('completion', 'z')).toEqual(['zsh'])
    const [format] = offered('export', 'task', '12', '--format', 'COCO')
    expect(format?.replaceAll('\\', '')).toBe('COCO 1.0')
  },
)
