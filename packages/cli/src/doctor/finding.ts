/** Result of one check of `doctor`. */
export interface Finding {
  check: string
  /**
   * `well`: no action; `odd`: worth knowing; `wrong`: to be fixed; `skipped`: not checked, because an earlier check
   * failed.
   */
  state: 'well' | 'odd' | 'wrong' | 'skipped'
  text: string
  /** Recommended action. */
  advice?: string
}

export const well = (check: string, text: string): Finding => ({ check, state: 'well', text })

export const odd = (check: string, text: string, advice?: string): Finding => ({
  check,
  state: 'odd',
  text,
  ...(advice !== undefined && { advice }),
})

export const wrong = (check: string, text: string, advice?: string): Finding => ({
  check,
  state: 'wrong',
  text,
  ...(advice !== undefined && { advice }),
})

export const skipped = (check: string, text: string): Finding => ({ check, state: 'skipped', text })
