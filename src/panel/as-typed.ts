/** Attributes of a field for a code: a phone neither capitalises nor corrects it. */
export const AS_TYPED = { autocapitalize: "none", autocorrect: false, spellcheck: false } as const;
