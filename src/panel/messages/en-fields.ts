/** What is wrong with a field of a form, in English. */
export const EN_FIELDS = {
  missing: "This field is empty. Fill it in.",
  notChosen: "Nothing is chosen. Choose one of the list.",
  noFile: "No file is chosen. Choose one.",
  notEmail: "This is not an e-mail address, such as name@example.ro.",
  notNumber: "This is not a number.",
  notWhole: "This is not a whole number.",
  tooSmall: "The value is too small. The smallest is {min}.",
  tooLarge: "The value is too large. The largest is {max}.",
  notDate: "Not a complete date. Complete it or clear the field.",
  tooLong: "The text is too long. At most {maxLength} characters are possible.",
  tooShort: "The text is too short. At least {minLength} characters are needed.",
  notPossible: "This value is not possible.",
} as const;
