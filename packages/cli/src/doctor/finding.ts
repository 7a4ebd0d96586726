/** What one look of `doctor` came to. */
export interface Finding {
  check: string
  /** Nothing to do; worth knowing; to be mended; not looked at, since something before it is wrong. */
  state: 'well' | 'odd' | 'wrong' | 'skipped'
  text: string
  /** What to do. */
  advice?: string
}

export const well = (check: string, text: string): Finding => ({ check, state: 'well', text })

export const odd = (check: string, text: string, advice?: string): Finding => ({
  ...{ check, state: 'odd', text },
  ...(advice !== undefined && { advice }),
})

export const wrong = (check: string, text: string, advice?: string): Finding => ({
  ...{ check, state: 'wrong', text },
  ...(advice !== undefined && { advice }),
})

export const skipped = (check: string, text: string): Finding => ({ check, state: 'skipped', text })
