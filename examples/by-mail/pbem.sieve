require ["fileinto", "mailbox", "envelope"];

# Mail for the adjudicator, to its address or a plus-address of it.
if anyof (envelope :is "to" "pbem@example.org",
          envelope :matches "to" "pbem+*@example.org") {
  fileinto :create "pbem";
  stop;
}
